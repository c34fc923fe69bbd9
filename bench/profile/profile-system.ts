import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedLoop } from '../load/closed-loop.ts';
import { cpuMicroseconds } from '../machine/cost.ts';
import { redisMissing, startRedis } from '../machine/redis.ts';
import { type CaseId } from '../measure/cases.ts';
import { CONNECTIONS } from '../measure/measure-system.ts';
import { requestsOf, startSystem } from '../measure/running-system.ts';
import { startPlatform } from '../platform/start-platform.ts';
import { type System } from '../systems/index.ts';
import { sharesOf, type Share } from './concerns.ts';
import { readProfile } from './cpu-profile.ts';

const FILE = 'service.cpuprofile';
export interface RequestTime {
  /** CPU of one request, before the profiler's own part is known: it makes all of it dearer by some percent. */
  readonly cpu: number;
  readonly shares: readonly Share[];
}

/** Profiles a system under the load of one case, once it is warm. */
export async function profileSystem(
  system: System,
  id: CaseId,
  milliseconds: number,
  warmUp: number,
): Promise<RequestTime> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-bench-'));
  const platform = await startPlatform();
  const redis = system.id.endsWith('redis') && redisMissing === undefined ? await startRedis() : undefined;
  const surroundings = { platform, folder, redisUrl: redis?.url };
  try {
    await system.prepare?.(surroundings);
    const profiler = [
      '--cpu-prof',
      `--cpu-prof-dir=${folder}`,
      `--cpu-prof-name=${FILE}`,
      '--cpu-prof-interval=500',
    ];
    const { process: running, port } = await startSystem(system, surroundings, (launch) => ({
      ...launch,
      args: [...profiler, ...launch.args],
    }));
    const callers = [];
    for (let n = 0; n < CONNECTIONS; n += 1) callers.push(await system.login(port, surroundings));
    const load = { port, connections: CONNECTIONS, ...(await requestsOf(port, id, callers)) };
    await closedLoop({ ...load, milliseconds: warmUp });
    const cpuBefore = cpuMicroseconds(running.pid);
    const from = Number(process.hrtime.bigint() / 1000n);
    const { answers } = await closedLoop({ ...load, milliseconds });
    const to = Number(process.hrtime.bigint() / 1000n);
    const cpu = (cpuMicroseconds(running.pid) - cpuBefore) / answers;
    // Writing the profile of a long run takes a while.
    await running.stop(60_000);
    return { cpu, shares: sharesOf(readProfile(await readFile(join(folder, FILE), 'utf8'), from, to)) };
  } finally {
    await platform.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
