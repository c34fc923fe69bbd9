import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The system under test has this core to itself; load, platform and Redis share the other. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

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
