import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchText } from '../../src/credentials/watch-text.js';
import { holdTimers } from '../support/client/hold-timers.js';

const intervalMs = 2000;

describe('watchText', () => {
  let folder: string;
  let path: string;
  let seen: string[];
  let end: () => void;

  /** One look at the file, with the time that its reading takes. */
  const look = async (): Promise<void> => {
    vi.advanceTimersByTime(intervalMs);
    await sleep(20);
  };
  const watch = (): void => {
    end = watchText(path, {
      seen: 'first',
      intervalMs,
      onText: (text) => seen.push(text),
      onUnreadable: (code) => seen.push(code),
    });
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portico-watch-'));
    path = join(folder, 'profiles.yaml');
    seen = [];
    await writeFile(path, 'first');
    holdTimers('setInterval');
  });
  afterEach(async () => {
    end();
    vi.useRealTimers();
    await rm(folder, { recursive: true });
  });

  const lookUntil = async (texts: string[]): Promise<void> => {
    for (let looks = 0; looks < 100 && seen.length < texts.length; looks += 1) await look();
    expect(seen).toEqual(texts);
  };

  it('reports nothing while the file does not change', async () => {
    watch();
    for (let looks = 0; looks < 4; looks += 1) await look();

    expect(seen).toEqual([]);
  });

  it('ignores a half-written file', async () => {
    watch();
    await writeFile(path, 'sec');
    await look();
    expect(seen).toEqual([]);

    await writeFile(path, 'second');

    await lookUntil(['second']);
  });

  it('notices a mounted secret when its links change to another folder', async () => {
    await mkdir(join(folder, 'v1'));
    await mkdir(join(folder, 'v2'));
    await writeFile(join(folder, 'v1', 'profiles.yaml'), 'first');
    await writeFile(join(folder, 'v2', 'profiles.yaml'), 'second');
    await symlink('v1', join(folder, 'data'));
    path = join(folder, 'data', 'profiles.yaml');
    watch();

    await symlink('v2', join(folder, 'data.new'));
    await rename(join(folder, 'data.new'), join(folder, 'data'));

    await lookUntil(['second']);
  });

  it('reports once that the file cannot be read, and later its content again', async () => {
    watch();
    await rm(path);
    await lookUntil(['ENOENT']);
    await look();
    await look();

    await writeFile(path, 'back');

    await lookUntil(['ENOENT', 'back']);
  });

  it('reports each reason for which the file cannot be read', async () => {
    watch();
    await rm(path);
    await lookUntil(['ENOENT']);
    await mkdir(path);

    await lookUntil(['ENOENT', 'EISDIR']);
  });

  it('has at most one read under way, so that a file that does not answer holds up no other', async () => {
    await rm(path);
    execFileSync('mkfifo', [path]);
    watch();
    // Node reads four files at a time.
    for (let looks = 0; looks < 8; looks += 1) await look();

    expect(await readFile(join(folder, 'other')).catch((error: unknown) => error)).toMatchObject({
      code: 'ENOENT',
    });
    await writeFile(path, 'from the pipe');
  });

  it('reports nothing once it has ended, not even what is being read, and looks no more', async () => {
    watch();
    await writeFile(path, 'second');
    await look();
    vi.advanceTimersByTime(intervalMs);
    end();
    await sleep(20);

    expect(seen).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps no process alive', () => {
    vi.useRealTimers();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    watch();

    expect(timers()).toBe(before);
  });
});
