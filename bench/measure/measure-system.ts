import { setTimeout as sleep } from 'node:timers/promises';
import { type Headers } from '../load/ask.ts';
import { closedLoop, type Load } from '../load/closed-loop.ts';
import { requestBytes } from '../load/connection.ts';
import { openLoop } from '../load/open-loop.ts';
import { type LoadResult } from '../load/tally.ts';
import { cpuMicroseconds, residentMegabytes } from '../machine/cost.ts';
import { type BenchPlatform } from '../platform/start-platform.ts';
import { type Surroundings, type System } from '../systems/system.ts';
import { CASE_IDS, type CaseId } from './cases.ts';
import { OPEN_RATE, PLATFORM_DELAY } from './figures.ts';
import { requestsOf, startSystem, type RunningSystem } from './running-system.ts';
import { type FigureId, type Sample } from './sample.ts';
import { type Timing } from './timing.ts';

export const CONNECTIONS = 32;
const SETTLE = 500;
/** A warm-up is over when the system has worked for this share of it, or after so many times as long. */
const WORKED = 0.8;
const MOST = 2;
const UNDER_LOAD: readonly FigureId[] = [...CASE_IDS, 'open', 'loaded', 'login'];

export interface Wanted {
  readonly figures: ReadonlySet<FigureId>;
  readonly timing: Timing;
  readonly round: number;
}

type Measured = Omit<Sample, 'figure' | 'system' | 'round'>;

/** One round of one system: started, measured in the order below, and ended. */
export async function measureSystem(
  system: System,
  surroundings: Surroundings & { readonly platform: BenchPlatform },
  { figures, timing, round }: Wanted,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const running = await startSystem(system, surroundings);
  const measures = (figure: FigureId): boolean => figures.has(figure) && system.figures.includes(figure);
  const add = async (figure: FigureId, measure: () => Measured | Promise<Measured>): Promise<void> => {
    if (measures(figure)) samples.push({ figure, system: system.id, round, ...(await measure()) });
  };
  const memory = async (): Promise<Measured> => {
    await sleep(SETTLE);
    return { value: residentMegabytes(running.process.pid) };
  };
  try {
    await add('cold', () => ({ value: running.cold }));
    await add('idle', memory);
    if (!UNDER_LOAD.some(measures)) return samples;

    const callers: Headers[] = [];
    for (let n = 0; n < CONNECTIONS; n += 1) callers.push(await system.login(running.port, surroundings));
    const own = await loadOf(running, 'own', callers);
    await warmUp(running, own, timing.warmUp);
    for (const id of CASE_IDS) await add(id, () => measureCase(running, id, callers, timing));
    await add('open', () => measureOpenLoop(running, own, surroundings.platform, timing));
    await add('loaded', memory);
    // Logins come last: each leaves a session behind, which counts as memory.
    await add('login', () => measureLogin(running, system.loginQuery ?? '', timing));
    return samples;
  } finally {
    await running.process.stop();
  }
}

async function loadOf(
  { port }: RunningSystem,
  id: CaseId,
  callers: readonly Headers[],
): Promise<Omit<Load, 'milliseconds'>> {
  return { port, connections: CONNECTIONS, ...(await requestsOf(port, id, callers)) };
}

/** Load for so long, and longer where other work on the machine took the core meanwhile. */
async function warmUp(
  { process: { pid } }: RunningSystem,
  load: Omit<Load, 'milliseconds'>,
  milliseconds: number,
): Promise<void> {
  const worked = cpuMicroseconds(pid) + milliseconds * 1000 * WORKED;
  const began = performance.now();
  const taken = (): number => performance.now() - began;
  while (taken() < milliseconds || (cpuMicroseconds(pid) < worked && taken() < MOST * milliseconds)) {
    await closedLoop({ ...load, milliseconds: Math.min(1000, milliseconds) });
  }
}

async function measureCase(
  running: RunningSystem,
  id: CaseId,
  callers: readonly Headers[],
  timing: Timing,
): Promise<Measured> {
  const load = await loadOf(running, id, callers);
  if (id !== 'own') await closedLoop({ ...load, milliseconds: timing.before });
  return costOf(running, { ...load, milliseconds: id === 'own' ? timing.own : timing.other });
}

async function measureLogin(running: RunningSystem, query: string, timing: Timing): Promise<Measured> {
  const load = { port: running.port, connections: CONNECTIONS, requests: [requestBytes({ query }, {})] };
  await closedLoop({ ...load, milliseconds: 2 * timing.before });
  return costOf(running, { ...load, milliseconds: timing.other });
}

async function measureOpenLoop(
  running: RunningSystem,
  own: Omit<Load, 'milliseconds'>,
  platform: BenchPlatform,
  timing: Timing,
): Promise<Measured> {
  await platform.delay(PLATFORM_DELAY);
  try {
    const load = { ...own, connections: 1000, perSecond: OPEN_RATE };
    await openLoop({ ...load, milliseconds: 1000 });
    const measured = await costOf(running, { ...load, milliseconds: timing.open }, openLoop);
    return { ...measured, value: measured.p99 ?? NaN };
  } finally {
    await platform.delay(0);
  }
}

async function costOf<T extends Load>(
  { process: { pid } }: RunningSystem,
  load: T,
  loop: (load: T) => Promise<LoadResult> = closedLoop,
): Promise<Measured> {
  const cpuBefore = cpuMicroseconds(pid);
  const began = performance.now();
  const { rate, answers, ...result } = await loop(load);
  if (answers === 0) throw new Error(`Nothing was answered rightly. ${result.firstFailure ?? ''}`);
  const cpu = cpuMicroseconds(pid) - cpuBefore;
  const busy = cpu / 1000 / (performance.now() - began);
  return { value: rate, cpu: cpu / (answers + result.failures), busy, ...result };
}
