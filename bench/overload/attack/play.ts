import { once } from 'node:events';
import { LOAD_CORE } from '../../machine/cores.ts';
import { type RunningProcess, startProcess } from '../../machine/start-process.ts';
import { type RunningSystem } from '../../measure/running-system.ts';
import { type System } from '../../systems/index.ts';
import { type Conduct } from '../platform.ts';
import { onService, type Row } from '../scenario.ts';
import { type Order, type Plan } from './plan.ts';
import { type Seen, text } from './text.ts';
import { others, tenantHeaders } from './tenant.ts';
import { watch } from './watch.ts';

const STOP_MS = 500;

/** A row of what one guest does beside a tenant, and how the platform behaves meanwhile. */
export interface Attack extends Row {
  readonly networks: number;
  readonly plan: Plan;
  readonly platform: Conduct;
  readonly seconds: number;
}

/** Runs an attack on a service of its own. The platform and the attacker are processes of their own as well. */
export async function playAttack(attack: Attack, systems: readonly System[]): Promise<string> {
  const running = start('platform.ts', attack.platform);
  const [port] = (await once(running.child, 'message')) as [number];
  const platform = { port, origin: `http://127.0.0.1:${port}` };
  try {
    return await onService(attack, systems, platform, async (service) => text(await see(service, attack)));
  } finally {
    await running.stop();
  }
}

async function see(service: RunningSystem, attack: Attack): Promise<Seen> {
  const { networks, plan, seconds } = attack;
  const headers = await tenantHeaders(service.port);
  const order: Order = { port: service.port, networks, plan };
  const attacker = start('attacker.ts', order);
  try {
    await once(attacker.child, 'message');
    attacker.child.send('begin');
    const [result, watched] = await watch(service, others(service.port, headers, seconds * 1000));
    const report = once(attacker.child, 'message') as Promise<[string]>;
    attacker.child.send('report');
    const [guest] = await report;
    return { attack, others: result, watched, guest, complaint: service.process.complaint() };
  } finally {
    await attacker.stop();
    // A service that works off what it was sent has no time to end as it should.
    await service.process.stop(STOP_MS);
  }
}

function start(program: string, argument: object): RunningProcess {
  const path = new URL(`../process/${program}`, import.meta.url).pathname;
  return startProcess({ core: LOAD_CORE, args: [path, JSON.stringify(argument)], ipc: true });
}
