import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The system under test has this core to itself; load, platform and Redis share the other. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/**
 * The cores of a process that is kept to one: that one alone, or all for the system under test once it has been freed.
 * On one core the compiler and the collector of garbage, which have threads of their own, take turns with the program.
 */
export function coresOf(core: number): string {
  return core === SERVER_CORE && isServerFree ? `${SERVER_CORE},${LOAD_CORE}` : `${core}`;
}
let isServerFree = false;

/** Lets the system under test use all cores, as in most installations. */
export function freeServer(): void {
  isServerFree = true;
}

/** Undefined where processes can be pinned to cores; else why not. */
export const pinningMissing: string | undefined =
  availableParallelism() < 2
    ? 'the machine has one core'
    : spawnSync('taskset', ['--version']).status === 0
      ? undefined
      : 'taskset is not installed';

/** Moves this process, which makes the load, to the load core. */
export function pinLoad(): void {
  if (pinningMissing === undefined) spawnSync('taskset', ['-acp', `${LOAD_CORE}`, `${process.pid}`]);
}
