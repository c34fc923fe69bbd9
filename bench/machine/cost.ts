import { readFileSync } from 'node:fs';

/** Microseconds of a clock tick of /proc: Linux gives 100 of them in a second. */
const TICK = 10_000;

/** CPU that a process has used, user and system, in microseconds; NaN where there is no /proc. */
export function cpuMicroseconds(pid: number): number {
  // The name of the command stands in parentheses and may hold anything; numbers follow.
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}

/** Resident memory in MB; NaN where there is no /proc. */
export function residentMegabytes(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1]) / 1024);
}

/** The most memory that a process has had resident, in MB; NaN where there is no /proc, or no such process any more. */
export function peakMegabytes(pid: number): number {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1]) / 1024);
}

/**
 * How long the main thread of a process has been ready to run while other processes had its core, in milliseconds; NaN where there
 * is no /proc. What the other threads of the process have used, garbage collection above all, counts as its own.
 */
export function coreWait(pid: number): number {
  const [ran = NaN, waited = NaN] = read(`/proc/${pid}/schedstat`).split(' ').map(Number);
  return (waited - (cpuMicroseconds(pid) * 1000 - ran)) / 1e6;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
