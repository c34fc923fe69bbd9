import { uptime } from 'node:os';

/** The clocks of this machine. */
export interface MachineClocks {
  /** Milliseconds since the epoch. It may be set, forward and back. */
  readonly Date: { now(): number };
  /** Milliseconds. Goes on evenly, but not while the machine sleeps. */
  readonly performance: { now(): number };
}

/** A time service moves the wall clock by less than this, so that it counts as the right one. */
const STEP_MS = 2000;

/**
 * Milliseconds since the epoch, by the clock of the machine as it was when the process started. If that clock is set
 * while the process runs, this one goes on as before: however long a session has not been used, it is not longer
 * because a clock was set. Time for which the machine slept does count.
 *
 * @param machine asked each time, so that a clock that is replaced later counts as well.
 * @param upSeconds goes on evenly, also while the machine sleeps.
 */
export function steadyClock(machine: MachineClocks = globalThis, upSeconds = uptime): () => number {
  let ahead = machine.Date.now() - machine.performance.now();
  let slept = upSeconds() * 1000 - machine.performance.now();
  return () => {
    const now = machine.performance.now();
    const difference = machine.Date.now() - now - ahead;
    if (Math.abs(difference) < STEP_MS) {
      ahead += difference;
      return Math.round(now + ahead);
    }
    const sleeps = upSeconds() * 1000 - now;
    if (sleeps - slept > STEP_MS) ahead += sleeps - slept;
    slept = Math.max(slept, sleeps);
    return Math.round(now + ahead);
  };
}
