import { PEER_SYSTEMS } from './peers.ts';
import { earlierPorticos, PORTICOS } from './portico.ts';
import { type System } from './system.ts';

export const SYSTEMS: readonly System[] = [...PEER_SYSTEMS, ...PORTICOS];

/** @param beside another checkout, whose Porticos have the ids `before-…`. */
export function systemOf(id: string, beside?: string): System {
  const all = beside === undefined ? SYSTEMS : [...SYSTEMS, ...earlierPorticos(beside)];
  const found = all.find((system) => system.id === id);
  if (found === undefined)
    throw new Error(`There is no system "${id}": ${all.map((each) => each.id).join(', ')}`);
  return found;
}

export { BEFORE, PORTICOS, porticosOf } from './portico.ts';
export { type Surroundings, type System } from './system.ts';
