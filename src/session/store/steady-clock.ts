import { uptime } from 'node:os';

/** The clocks of this machine, in milliseconds. */
export interface MachineClocks {
  /** Since the epoch. It may be set, forward and back. */
  readonly wall: () => number;
  /** Goes on evenly, but not while the machine sleeps. */
  readonly awake: () => number;
  /** Goes on evenly, also while the machine sleeps. */
  readonly boot: () => number;
}

/** Not the functions themselves: a clock that is replaced later, as tests do, counts as well. */
const MACHINE: MachineClocks = {
  wall: () => Date.now(),
  awake: () => performance.now(),
  boot: () => uptime() * 1000,
};

/** A time service moves the wall clock by less than this, so that it counts as the right one. */
const STEP_MS = 2000;

/**
 * Milliseconds since the epoch, by the clock of the machine as it was when the process started. If that clock is set
 * while the process runs, this one goes on as before: however long a session has not been used, it is not longer
 * because a clock was set. Time for which the machine slept does count.
 */
export function steadyClock({ wall, awake, boot }: MachineClocks = MACHINE): () => number {
  let ahead = wall() - awake();
  let slept = boot() - awake();
  return () => {
    const now = awake();
    const difference = wall() - now - ahead;
    if (Math.abs(difference) < STEP_MS) {
      ahead += difference;
      return Math.round(now + ahead);
    }
    const sleeps = boot() - now;
    if (sleeps - slept > STEP_MS) ahead += sleeps - slept;
    slept = Math.max(slept, sleeps);
    return Math.round(now + ahead);
  };
}
