import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In memory, where Linux has room for it: on a disk, sessions in a file spend most of their time on its confirmations. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 512 * 1024 * 1024;

/** A new folder for one test, and how to be rid of it. */
export async function tempFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(await parent(), 'portico-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

async function parent(): Promise<string> {
  const free = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free < ENOUGH_BYTES ? tmpdir() : MEMORY;
}
