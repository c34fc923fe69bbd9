import { monitorEventLoopDelay } from 'node:perf_hooks';
import { coreWait, peakMegabytes } from '../../machine/cost.ts';
import { heldSockets } from '../../machine/sockets.ts';
import { type RunningSystem } from '../../measure/running-system.ts';
import { isGuest } from './plan.ts';

const EVERY_MS = 250;

/** What the machine says of a service under attack. */
export interface Watched {
  /** Seconds until the process ended; undefined where it lives. */
  readonly died: number | undefined;
  readonly peakMegabytes: number;
  /** The guest's connections that the service held: the most, and at each look, with the seconds since the beginning. */
  readonly mostHeld: number;
  readonly held: readonly (readonly [seconds: number, count: number])[];
  /** The share of the time in which the service's main thread was ready to run and other processes had its core. */
  readonly withoutCore: number;
  /** p99 of the delay of this process, in milliseconds: so far the times of the probes may be too long. */
  readonly ownDelay: number;
}

/** Looks at a service until the work is done. */
export async function watch<R>(
  { port, process: { pid, child } }: RunningSystem,
  work: Promise<R>,
): Promise<[R, Watched]> {
  const began = performance.now();
  const waitBefore = coreWait(pid);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let peak = 0;
  let wait = waitBefore;
  let died: number | undefined;
  const held: [number, number][] = [];
  const look = (): void => {
    const seconds = (performance.now() - began) / 1000;
    if (child.exitCode !== null || child.signalCode !== null) died ??= seconds;
    const most = peakMegabytes(pid);
    // A process that is ending has no memory any more.
    if (most > peak) peak = most;
    if (died === undefined) wait = coreWait(pid);
    held.push([seconds, heldSockets(port, isGuest)]);
  };
  const timer = setInterval(look, EVERY_MS);
  try {
    const result = await work;
    look();
    return [
      result,
      {
        died,
        held,
        peakMegabytes: peak,
        mostHeld: Math.max(...held.map(([, count]) => count)),
        withoutCore: (wait - waitBefore) / (performance.now() - began),
        ownDelay: delay.percentile(99) / 1e6 - 10,
      },
    ];
  } finally {
    clearInterval(timer);
    delay.disable();
  }
}
