import { PEER_SYSTEMS } from './peers.ts';
import { PORTICOS } from './portico.ts';
import { type System } from './system.ts';

export const SYSTEMS: readonly System[] = [...PEER_SYSTEMS, ...PORTICOS];

export function systemOf(id: string): System {
  const found = SYSTEMS.find((system) => system.id === id);
  if (found === undefined) {
    throw new Error(`There is no system "${id}": ${SYSTEMS.map((each) => each.id).join(', ')}`);
  }
  return found;
}

export { type Surroundings, type System } from './system.ts';
