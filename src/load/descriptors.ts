import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

/** For the store, the platform, log files and DNS; where there are fewer, three quarters of what there is. */
const RESERVED = 128;
const RESERVED_SHARE = 0.1;
const RESERVED_AT_MOST = 0.75;
/** What an instance needs. Where the system does not tell its limit: the one that most systems give a process. */
export const ENOUGH_FILES = 1024;
/** More than one process can serve: with a million descriptors, memory would end first. */
const MOST = 32_768;
const SOFT_LIMIT = /^Max open files +(\d+|unlimited)/m;

/** How many connections the process may hold, by its limit of open files. */
export function mostConnections(limit = openFilesLimit()): number {
  if (limit === Infinity) return MOST;
  const reserved = Math.max(Math.min(RESERVED, limit * RESERVED_AT_MOST), limit * RESERVED_SHARE);
  return Math.min(MOST, Math.max(1, Math.floor(limit - reserved)));
}

/** The soft limit, which Node raises to the hard one at its start. */
export function openFilesLimit(): number {
  try {
    const [, soft] = SOFT_LIMIT.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Infinity : Number(soft ?? ENOUGH_FILES);
  } catch {
    return ENOUGH_FILES;
  }
}

/**
 * Notices that no file can be opened. Node resets new connections then and tells nothing, and the number of open
 * files cannot be read, because that opens one.
 */
export class Descriptors {
  /** How many looks have found none left. */
  exhausted = 0;
  #reported = 0;

  /** To be called about once a second. It takes some microseconds. */
  look(): void {
    try {
      closeSync(openSync(devNull, 'r'));
    } catch {
      this.exhausted += 1;
    }
  }

  /** How many looks have found none left since this was last asked. */
  takeCount(): number {
    const count = this.exhausted - this.#reported;
    this.#reported = this.exhausted;
    return count;
  }
}
