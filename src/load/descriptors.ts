import { readFileSync } from 'node:fs';

/** For the store, the platform, log files and DNS. */
const RESERVED = 128;
const RESERVED_SHARE = 0.1;
/** Where the system does not say. It is the limit that most systems give a process. */
const USUAL_LIMIT = 1024;
/** More than one process can serve: with a million descriptors, memory would end first. */
const MOST = 32_768;
const SOFT_LIMIT = /^Max open files +(\d+|unlimited)/m;

/** How many connections the process may hold, by its limit of open files. */
export function mostConnections(limit = openFilesLimit()): number {
  return Math.min(MOST, Math.max(1, Math.floor(limit - Math.max(RESERVED, limit * RESERVED_SHARE))));
}

/** The soft limit, which Node raises to the hard one at its start. */
function openFilesLimit(): number {
  try {
    const [, soft] = SOFT_LIMIT.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Infinity : Number(soft ?? USUAL_LIMIT);
  } catch {
    return USUAL_LIMIT;
  }
}
