import { readFile } from 'node:fs/promises';

/** Megabytes of memory that a process holds. Linux only. */
export async function residentMegabytes(pid: number | undefined): Promise<number> {
  return megabytes('VmRSS', pid);
}

/** The most megabytes of memory that a process has held. Linux only. */
export async function peakMegabytes(pid: number | undefined): Promise<number> {
  return megabytes('VmHWM', pid);
}

async function megabytes(field: string, pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}
