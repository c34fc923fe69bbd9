import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of one megabyte. */
export interface TinyDisk {
  readonly path: string;
  unmount(): Promise<void>;
}

function mount(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'portico-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'portico-test', path]);
  if (status === 0) return path;
  rmdirSync(path);
  return undefined;
}

function unmount(path: string): void {
  spawnSync('umount', [path]);
}

function tryOut(): string | undefined {
  const path = mount();
  if (path === undefined) return 'this user may not mount a tmpfs';
  unmount(path);
  rmdirSync(path);
  return undefined;
}

/** Undefined where a tiny disk can be had; else why not, for the title of what is skipped. */
export const tinyDiskMissing: string | undefined = tryOut();

export function tinyDisk(): TinyDisk {
  const path = mount();
  if (path === undefined) throw new Error('a tmpfs cannot be mounted any more');
  return {
    path,
    unmount: async () => {
      unmount(path);
      await rm(path, { recursive: true });
    },
  };
}
