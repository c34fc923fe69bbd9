import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchText } from '../../src/credentials/watch-text.js';
import { eventually } from '../support/eventually.js';
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

  it('keeps no process alive', async () => {
    vi.useRealTimers();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    watch();

    await eventually(() => {
      expect(timers()).toBe(before);
    });
  });
});
