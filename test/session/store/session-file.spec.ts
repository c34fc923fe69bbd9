import fs, { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { appendFile, copyFile, rm, stat, utimes } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DurableFile, everyTwoSeconds } from '../../../src/session/store/durable-file.js';
import { EmbeddedSessionStore } from '../../../src/session/store/embedded-session-store.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { manualClock, type ManualClock } from '../../../packages/portico/test/support/manual-clock.js';
import { tempFolder } from '../../support/temp-folder.js';

const LIFE = { idleSeconds: 600, maxSeconds: 6000 };
const PAGE_BYTES = 4096;
const UNAVAILABLE = { code: 'SESSION_STORE_UNAVAILABLE' };
const { fdatasync } = fs;

/** Replaces the wait for the disk, which no test can make fail. */
function waitForDisk(wait: typeof fdatasync): void {
  Object.assign(fs, { fdatasync: wait });
  syncBuiltinESMExports();
}

describe('the file of the embedded store', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  let clock: ManualClock;
  let reports: string[];
  let health: StoreHealth;
  let check: () => void;
  let hasEnded: boolean;
  let store: EmbeddedSessionStore;
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/sessions.db`;
    clock = manualClock();
    reports = [];
    health = new StoreHealth((message) => reports.push(message));
    hasEnded = false;
    store = new EmbeddedSessionStore(path, LIFE, clock.now, health, (each) => {
      check = each;
      return () => (hasEnded = true);
    });
  });
  afterEach(async () => {
    waitForDisk(fdatasync);
    vi.restoreAllMocks();
    await store.close();
    await folder.remove();
  });
  const journalBytes = (): number => statSync(`${path}-wal`).size;
  /** The numbers of the pages in the journal. Each frame has the size of a page and a header of 24 bytes. */
  const pagesInJournal = (): number[] => {
    const journal = readFileSync(`${path}-wal`);
    const numbers = [];
    for (let at = 32; at < journal.length; at += 24 + PAGE_BYTES) numbers.push(journal.readUInt32BE(at));
    return numbers;
  };

  /** The files of the store for which this process has a descriptor; on Linux, where they can be seen. */
  const openFiles = (): string[] =>
    (process.platform === 'linux' ? readdirSync('/proc/self/fd') : [])
      .flatMap((file) => {
        try {
          return readlinkSync(`/proc/self/fd/${file}`);
        } catch {
          return [];
        }
      })
      .filter((file) => file.startsWith(folder.path))
      .sort();

  describe('confirms a write', () => {
    /** Each wait ends when the test says so. */
    const held = (): ((error: Error | null) => void)[] => {
      const waits: ((error: Error | null) => void)[] = [];
      waitForDisk(((_file: number, done: (error: Error | null) => void) => waits.push(done)) as never);
      return waits;
    };

    it('when the disk has it, and not before', async () => {
      const waits = held();
      let isConfirmed = false;
      const creating = store.create('key', 'sealed').then(() => (isConfirmed = true));
      await eventually(() => waits.length === 1);
      await nextTurn();
      expect(isConfirmed).toBe(false);
      waits[0]?.(null);
      await creating;
      expect(waits).toHaveLength(1);
    });

    it('not if the disk fails: the store has failed until a write is confirmed again', async () => {
      const failure = Object.assign(new Error('EIO: i/o error, fdatasync'), { syscall: 'fdatasync' });
      waitForDisk(((_file: number, done: (error: Error) => void) => {
        done(failure);
      }) as never);
      await expect(store.create('key', 'sealed')).rejects.toMatchObject(UNAVAILABLE);
      expect([health.fault, health.reason]).toEqual(['failed', 'EIO: i/o error, fdatasync']);
      await expect(store.ping()).rejects.toMatchObject(UNAVAILABLE);

      waitForDisk(fdatasync);
      await store.ping();
      expect(health.fault).toBeUndefined();
    });

    it('of a session that ended here while the disk failed, and may begin again once it does not', async () => {
      await store.create('key', 'first');
      waitForDisk(((_file: number, done: (error: Error) => void) => {
        done(new Error('EIO'));
      }) as never);
      await expect(store.remove('key')).rejects.toMatchObject(UNAVAILABLE);
      waitForDisk(fdatasync);
      await store.create('other', 'sealed');
      await store.create('key', 'second');
      expect(await store.read('key')).toMatchObject({ sealed: 'second' });
    });

    it('that waits for the disk while the file is made again, and loses no descriptor by that', async () => {
      const before = openFiles();
      const waits = held();
      const creating = store.create('key', 'sealed');
      await eventually(() => waits.length === 1);
      rmSync(path);
      check();
      waits[0]?.(null);
      await creating;
      expect([health.count('missing'), health.lastFault]).toEqual([1, 'missing']);
      waitForDisk(fdatasync);
      await store.create('other', 'sealed');
      expect(await store.read('key')).toMatchObject({ sealed: 'sealed' });
      expect(health.fault).toBeUndefined();
      expect(openFiles()).toEqual(before);
    });

    it('in the new file if it has not yet begun when the file is made again', async () => {
      await store.create('first', 'sealed');
      const creating = store.create('key', 'sealed');
      rmSync(path);
      check();
      await creating;
      expect(health.count('missing')).toBe(1);
      expect(await store.read('key')).toMatchObject({ sealed: 'sealed' });
    });
  });

  it.runIf(process.platform === 'linux')('is open only as long as it is used', async () => {
    await store.create('key', 'sealed');
    const before = openFiles();
    expect(new Set(before)).toEqual(new Set([path, `${path}-wal`]));
    await rm(path);
    check();
    await store.create('other', 'sealed');
    expect(openFiles()).toEqual(before);
    await store.close();
    expect(openFiles()).toEqual([]);
  });

  it('is not written by a check when all is well', async () => {
    await store.create('key', 'sealed');
    const before = journalBytes();
    for (let checks = 0; checks < 2; checks += 1) {
      check();
      await nextTurn();
      await nextTurn();
    }
    expect(journalBytes()).toBe(before);
  });

  it('is not written for those who read another session, and is for the one that waits', async () => {
    await store.create('key', 'sealed');
    const before = journalBytes();
    const creating = store.create('waiting', 'sealed');
    const reading = store.read('key');
    expect(journalBytes()).toBe(before);
    const readingIt = store.read('waiting');
    expect(journalBytes()).toBeGreaterThan(before);
    await Promise.all([creating, reading, readingIt]);
  });

  it('is tried by a ping at first and one second after each write, and not in between', async () => {
    const time = vi.spyOn(performance, 'now').mockReturnValue(10_000);
    await store.ping();
    const first = journalBytes();
    expect(first).toBeGreaterThan(0);
    time.mockReturnValue(10_999);
    await store.ping();
    expect(journalBytes()).toBe(first);
    time.mockReturnValue(11_000);
    await store.ping();
    expect(journalBytes()).toBeGreaterThan(first);
  });

  it('is no longer checked once it is closed', async () => {
    await store.close();
    expect(hasEnded).toBe(true);
  });

  it('counts as unchanged when only this process wrote to it, also for a read', async () => {
    await store.create('key', 'sealed');
    check();
    clock.advance(300_000);
    await store.read('key');
    check();
    check();
    expect([health.count('changed'), reports]).toEqual([0, []]);
  });

  it('counts as changed when another wrote to it, although this process writes as well', async () => {
    await store.create('key', 'sealed');
    check();
    await utimes(path, 1, 1);
    await store.create('other', 'sealed');
    check();
    check();
    expect(health.count('changed')).toBe(1);
  });

  it('counts as changed when it is larger, although its time says that it was not written', async () => {
    await utimes(path, 1, 1);
    await store.create('key', 'sealed');
    check();
    await appendFile(path, Buffer.alloc(PAGE_BYTES));
    await utimes(path, 1, 1);
    check();
    expect(health.count('changed')).toBe(1);
  });

  it('has what is in its journal after a change by another, and not after the first check', async () => {
    await store.create('key', 'sealed');
    check();
    expect(journalBytes()).toBeGreaterThan(0);
    await utimes(path, 1, 1);
    check();
    expect(journalBytes()).toBe(0);
    check();
    expect(health.count('changed')).toBe(1);
  });

  it('has what is in its journal once it is opened after a crash', async () => {
    await store.create('key', 'sealed');
    const left = `${folder.path}/left.db`;
    for (const end of ['', '-wal']) await copyFile(`${path}${end}`, `${left}${end}`);
    const again = new EmbeddedSessionStore(left, LIFE, clock.now);
    expect((await stat(`${left}-wal`)).size).toBe(0);
    expect(await again.read('key')).toMatchObject({ sealed: 'sealed' });
    await again.close();
  });

  it('marks its journal once as its own, and again when the journal has been emptied', async () => {
    const marks = (): number => pagesInJournal().filter((page) => page === 1).length;
    for (const key of ['a', 'b', 'c']) await store.create(key, 'sealed');
    expect(marks()).toBe(1);
    check();
    await utimes(path, 1, 1);
    check();
    await store.create('d', 'sealed');
    expect(marks()).toBe(1);
  });

  it('empties its journal at four megabytes', async () => {
    for (let round = 0; round < 3; round += 1) {
      const keys = Array.from({ length: 500 }, (_, n) => `${round} ${n}`);
      await Promise.all(keys.map((key) => store.create(key, 'x'.repeat(4000))));
      expect(journalBytes()).toBeLessThan(4 * 1024 * 1024);
    }
    expect(await store.count()).toBe(1500);
  });

  it('keeps the accounts of its sessions when it is made again, and says how many there are', async () => {
    await store.create('one', 'sealed', 'alice');
    await store.create('two', 'sealed', 'alice');
    await rm(path);
    check();
    expect(await store.ofAccount('alice')).toEqual(['one', 'two']);
    expect(reports).toEqual([expect.stringMatching(/ is gone \(.*\); 2 sessions are in a new one, /)]);
  });

  it('has not failed when a key is taken', async () => {
    await store.create('taken', 'sealed');
    await expect(store.create('taken', 'sealed')).rejects.toMatchObject(UNAVAILABLE);
    expect([health.fault, reports]).toEqual([undefined, []]);
  });
});

describe('an error of SQLite', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  let health: StoreHealth;
  let file: DurableFile;
  let failures: unknown[];
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/sessions.db`;
    health = new StoreHealth();
    file = new DurableFile(path, health, new Map<string, never>(), () => () => undefined);
    failures = [];
  });
  afterEach(async () => {
    await file.close();
    await folder.remove();
  });
  /** Fails as often as there are failures left. */
  const work = (): string => {
    if (failures.length > 0) throw failures.shift() as Error;
    return 'done';
  };
  const error = (errcode?: number): Error => Object.assign(new Error('what SQLite says'), { errcode });
  const asks = [
    ['write', () => file.write('key', work)],
    ['read', () => file.read('key', work)],
  ] as const;

  describe.each(asks)('in a %s', (_what, ask) => {
    it.each([
      ['damage', 11],
      ['damage of an index', 779],
      ['no database', 26],
      ['a page that is cut off', 522],
    ])('that says %s has the file made again, and what was asked is done', async (_why, errcode) => {
      failures = [error(errcode)];
      expect(await ask()).toBe('done');
      expect([health.count('corrupt'), health.fault]).toEqual([1, undefined]);
    });

    it.each([
      ['that the disk is full', 13, 'full'],
      ['a failure of the disk', 10, 'failed'],
      ['that nothing may be written', 8, 'failed'],
      ['a failure to read', 266, 'failed'],
    ])('that says %s is the fault of the store', async (_why, errcode, fault) => {
      failures = [error(errcode)];
      await expect(ask()).rejects.toMatchObject(UNAVAILABLE);
      expect([health.fault, health.reason]).toEqual([fault, 'what SQLite says']);
    });

    it.each([
      ['a rule of the table', 19],
      ['a key that is taken', 1555],
      ['nothing that SQLite has a code for', undefined],
    ])('that says %s is the fault of what was asked', async (_why, errcode) => {
      failures = [error(errcode)];
      await expect(ask()).rejects.toMatchObject(UNAVAILABLE);
      expect(health.fault).toBeUndefined();
    });

    it('that says damage stays an error when no new file can be made', async () => {
      await rm(path);
      await rm(`${path}-wal`);
      const other = new DatabaseSync(path);
      other.exec('PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE other (name TEXT)');
      failures = [error(11)];
      await expect(ask()).rejects.toMatchObject(UNAVAILABLE);
      expect(health.fault).toBe('corrupt');
      other.close();
    });
  });
});

describe('the checks of the file', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are made every two seconds until they are ended', () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate'] });
    let checks = 0;
    const end = everyTwoSeconds(() => {
      checks += 1;
    });
    vi.advanceTimersByTime(1999);
    expect(checks).toBe(0);
    vi.advanceTimersByTime(2001);
    expect(checks).toBe(2);
    end();
    vi.advanceTimersByTime(10_000);
    expect(checks).toBe(2);
  });
});
