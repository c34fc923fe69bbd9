import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedSessionStore } from '../../../src/session/store/embedded-session-store.js';
import { type StoreFault, StoreHealth } from '../../../src/session/store/store-health.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { tempFolder } from '../../support/temp-folder.js';
import { type TinyDisk, tinyDisk, tinyDiskMissing } from '../../support/session/tiny-disk.js';

const LIFE = { idleSeconds: 600, maxSeconds: 6000 };
const PAGE_BYTES = 4096;
const UNAVAILABLE = { code: 'SESSION_STORE_UNAVAILABLE' };
/** Enough for several pages. */
const KEYS = Array.from({ length: 40 }, (_, n) => `key ${n}`);
const sealed = (key: string): string => `${key} ${'x'.repeat(600)}`;

async function write(store: EmbeddedSessionStore, keys: readonly string[] = KEYS): Promise<void> {
  await Promise.all(keys.map((key) => store.create(key, sealed(key))));
}

/** What a new process finds at a path. */
async function keysIn(path: string): Promise<string[]> {
  const store = new EmbeddedSessionStore(path, LIFE);
  try {
    const found = await Promise.all(
      [...KEYS, 'late', 'foreign'].map(async (key) => ((await store.read(key)) === undefined ? [] : [key])),
    );
    return found.flat();
  } finally {
    await store.close();
  }
}

/** Checks the file of the store that was opened last, as the service does every two seconds. */
let check: () => void;
const atWill = (each: () => void): (() => void) => {
  check = each;
  return () => undefined;
};
const checked = (is: () => boolean): Promise<void> =>
  eventually(() => {
    check();
    return is();
  });

describe('the file of the embedded store', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  let reports: string[];
  let health: StoreHealth;
  let store: EmbeddedSessionStore;
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/data/sessions.db`;
    reports = [];
    health = new StoreHealth((message) => reports.push(message));
    // Closed and opened again, so that the sessions are in the file and not in its journal.
    const first = new EmbeddedSessionStore(path, LIFE);
    await write(first);
    await first.close();
    store = new EmbeddedSessionStore(path, LIFE, Date.now, health, atWill);
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  const overwrite = async (from: number, pages: number, byte: number): Promise<void> => {
    const file = await open(path, 'r+');
    await file.write(Buffer.alloc(pages * PAGE_BYTES, byte), 0, pages * PAGE_BYTES, from * PAGE_BYTES);
    await file.close();
  };
  const otherStore = async (name: string): Promise<string> => {
    const other = `${folder.path}/${name}.db`;
    const foreign = new EmbeddedSessionStore(other, LIFE);
    await foreign.create('foreign', sealed('foreign'));
    await foreign.close();
    return other;
  };

  const LOSSES: readonly [string, StoreFault, () => Promise<unknown>][] = [
    ['the file is deleted', 'missing', () => rm(path)],
    ['its journal is deleted', 'missing', () => rm(`${path}-wal`)],
    ['its folder is deleted', 'missing', () => rm(`${folder.path}/data`, { recursive: true })],
    ['its folder is moved', 'missing', () => rename(`${folder.path}/data`, `${folder.path}/moved`)],
    ['another file takes its place', 'replaced', async () => rename(await otherStore('other'), path)],
    [
      'a file that is no database takes its place',
      'replaced',
      async () => {
        await writeFile(`${folder.path}/text`, 'something else'.repeat(1000));
        await rename(`${folder.path}/text`, path);
      },
    ],
    [
      'another journal takes the place of its own',
      'replaced',
      async () => {
        await writeFile(`${folder.path}/journal`, Buffer.alloc(10 * PAGE_BYTES, 7));
        await rename(`${folder.path}/journal`, `${path}-wal`);
      },
    ],
  ];

  it.each(LOSSES)('keeps every session when %s', async (_what, fault, lose) => {
    await lose();
    await checked(() => health.count(fault) === 1);
    expect(reports).toEqual([expect.stringMatching(/^The session store was repaired: its file /)]);
    expect(health.fault).toBeUndefined();
    await store.create('late', sealed('late'));
    await store.close();
    expect(await keysIn(path)).toEqual([...KEYS, 'late']);
  });

  it.each(LOSSES)(
    'confirms only what is in a file on the disk, at once after %s',
    async (_what, fault, lose) => {
      await lose();
      await store.create('late', sealed('late'));
      expect(health.count(fault)).toBe(1);
      const copy = `${folder.path}/crash`;
      await mkdir(copy);
      for (const end of ['', '-wal']) await copyFile(`${path}${end}`, `${copy}/sessions.db${end}`);
      expect(await keysIn(`${copy}/sessions.db`)).toEqual([...KEYS, 'late']);
    },
  );

  it('is left to another process that has made one in its place, and until then nothing is confirmed', async () => {
    await rm(path);
    await rm(`${path}-wal`);
    const other = new DatabaseSync(path);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE other (name TEXT)');
    await expect(store.create('late', sealed('late'))).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.ping()).rejects.toMatchObject(UNAVAILABLE);
    expect(health.fault).toBe('replaced');
    expect(await store.read('key 0')).toMatchObject({ sealed: sealed('key 0') });
    expect(other.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()).toEqual({ tables: 1 });
    other.close();
    await checked(() => health.fault === undefined);
    await store.ping();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a page is overwritten', () => overwrite(4, 1, 0xab)],
    ['a page is zeroed', () => overwrite(5, 1, 0)],
    ['its first page is overwritten', () => overwrite(0, 1, 0x41)],
    ['it is cut off', () => truncate(path, 3 * PAGE_BYTES)],
    ['it is emptied', () => truncate(path, 0)],
  ])('is made again from what can be read when %s', async (_what, damage) => {
    await damage();
    await checked(() => health.count('corrupt') === 1);
    expect(health.fault).toBeUndefined();
    await store.create('late', sealed('late'));
    await store.close();
    expect(await keysIn(path)).toContain('late');
    expect((await readdir(`${folder.path}/data`)).filter((name) => name.includes('.corrupt-'))).not.toEqual(
      [],
    );
    const database = new DatabaseSync(path);
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
  });

  it('keeps the sessions of undamaged pages', async () => {
    await overwrite(4, 1, 0xab);
    await checked(() => health.count('corrupt') === 1);
    expect((await keysInStore()).length).toBeGreaterThan(KEYS.length / 2);
  });

  /** The number of a page that the journal has. Each frame has the size of a page and a header of 24 bytes. */
  const pageInJournal = async (): Promise<number> => {
    const journal = await readFile(`${path}-wal`);
    const numbers = [];
    for (let at = 32; at < journal.length; at += 24 + PAGE_BYTES) numbers.push(journal.readUInt32BE(at));
    return numbers.findLast((number) => number > 1) ?? 0;
  };

  const keysInStore = async (): Promise<string[]> => {
    const found = await Promise.all(
      KEYS.map(async (key) => ((await store.read(key)) === undefined ? [] : [key])),
    );
    return found.flat();
  };

  it.each<[string, () => unknown]>([
    ['is only touched', () => undefined],
    [
      'is written over where the journal has what belongs there',
      async () => {
        await Promise.all(KEYS.map((key) => store.replace(key, 1, sealed(key))));
        await overwrite((await pageInJournal()) - 1, 1, 0xab);
      },
    ],
  ])('is checked, reported and used as it is when it %s', async (_how, touch) => {
    const before = await stat(path);
    // The first check reads the file in any case, and reports nothing.
    check();
    await touch();
    // The time of a write may be that of the one before: some systems count in steps of milliseconds.
    await utimes(path, 1, 1);
    check();
    expect(health.count('changed')).toBe(1);
    expect((await stat(path)).ino).toBe(before.ino);
    expect(reports).toEqual([expect.stringContaining('it was checked, and is sound')]);
    await store.close();
    expect(await keysIn(path)).toEqual(KEYS);
  });
});

describe('a journal beside the file of the embedded store', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/sessions.db`;
  });
  afterEach(() => folder.remove());

  /** What a process leaves behind that is killed: the file and its journal. */
  const crashed = async (name: string, keys: readonly string[]): Promise<string> => {
    const left = `${folder.path}/${name}.db`;
    const running = `${folder.path}/${name}-running.db`;
    const store = new EmbeddedSessionStore(running, LIFE);
    await write(store, keys);
    for (const end of ['', '-wal']) await copyFile(`${running}${end}`, `${left}${end}`);
    await store.close();
    return left;
  };
  const opened = async (): Promise<{ keys: string[]; health: StoreHealth; reports: string[] }> => {
    const reports: string[] = [];
    const health = new StoreHealth((message) => reports.push(message));
    await new EmbeddedSessionStore(path, LIFE, Date.now, health).close();
    return { keys: await keysIn(path), health, reports };
  };

  it('that is its own is used after a crash', async () => {
    const left = await crashed('own', ['key 1']);
    for (const end of ['', '-wal']) await rename(`${left}${end}`, `${path}${end}`);
    const { keys, reports } = await opened();
    expect({ keys, reports }).toEqual({ keys: ['key 1'], reports: [] });
  });

  it('that is its own is used after many writes and a crash', async () => {
    const store = new EmbeddedSessionStore(path, LIFE);
    for (let round = 0; round < 12; round += 1) {
      await write(
        store,
        Array.from({ length: 500 }, (_, n) => `round ${round} ${n}`),
      );
    }
    await write(store);
    const copy = `${folder.path}/copy.db`;
    for (const end of ['', '-wal']) await copyFile(`${path}${end}`, `${copy}${end}`);
    await store.close();
    expect((await readFile(`${copy}-wal`)).length).toBeGreaterThan(0);
    expect(await keysIn(copy)).toEqual(KEYS);
  });

  it.each<[string, () => Promise<string>]>([
    ['of another store', () => crashed('other', ['foreign'])],
    [
      'of a store of an earlier version',
      async () => {
        const other = `${folder.path}/earlier.db`;
        const database = new DatabaseSync(other);
        database.exec(`PRAGMA journal_mode = WAL;
          CREATE TABLE session (key TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, sealed TEXT NOT NULL,
            idle_until INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT;
          INSERT INTO session VALUES ('foreign', 1, 'sealed', 9e15, 9e15)`);
        await copyFile(`${other}-wal`, `${other}.left-wal`);
        database.close();
        return `${other}.left`;
      },
    ],
    [
      'of another application',
      async () => {
        const other = `${folder.path}/application.db`;
        const database = new DatabaseSync(other);
        database.exec('PRAGMA journal_mode = WAL; CREATE TABLE one (name TEXT); INSERT INTO one VALUES (1)');
        await copyFile(`${other}-wal`, `${other}.left-wal`);
        database.close();
        return `${other}.left`;
      },
    ],
  ])('%s is set aside: its sessions do not open, and the own ones do', async (_whose, other) => {
    const store = new EmbeddedSessionStore(path, LIFE);
    await write(store);
    await store.close();
    await copyFile(`${await other()}-wal`, `${path}-wal`);
    const { keys, health, reports } = await opened();
    expect(keys).toEqual(KEYS);
    expect(health.count('foreign_journal')).toBe(1);
    expect(reports).toEqual([expect.stringContaining('the journal of another database: it is kept as')]);
    expect((await readdir(folder.path)).some((name) => name.includes('-wal.foreign-'))).toBe(true);
  });

  it('of another store is not used for a file that is new', async () => {
    await copyFile(`${await crashed('other', ['foreign'])}-wal`, `${path}-wal`);
    const { keys, health } = await opened();
    expect(keys).toEqual([]);
    expect(health.count('foreign_journal')).toBe(1);
  });
});

const onTinyDisk = tinyDiskMissing === undefined ? describe : describe.skip;

onTinyDisk(
  `the file of the embedded store on a full disk (${tinyDiskMissing ?? 'a tmpfs of one megabyte'})`,
  () => {
    let disk: TinyDisk;
    let path: string;
    let health: StoreHealth;
    let reports: string[];
    let store: EmbeddedSessionStore;
    beforeEach(async () => {
      disk = tinyDisk();
      path = `${disk.path}/sessions.db`;
      reports = [];
      health = new StoreHealth((message) => reports.push(message));
      store = new EmbeddedSessionStore(path, LIFE, Date.now, health, atWill);
      await write(store);
      await writeFile(`${disk.path}/filler`, Buffer.alloc(1024 * 1024)).catch(() => undefined);
    });
    afterEach(async () => {
      await store.close();
      await disk.unmount();
    });

    it('is reported within five seconds although nothing is written, and so is its end', async () => {
      await checked(() => health.fault === 'full');
      await expect(store.ping()).rejects.toMatchObject(UNAVAILABLE);
      expect(await store.read('key 0')).toMatchObject({ sealed: sealed('key 0') });
      await rm(`${disk.path}/filler`);
      await checked(() => health.fault === undefined);
      await store.ping();
      expect(reports).toEqual([
        'The session store takes no writes, so logins fail and sessions go on: database or disk is full',
        'The session store can be used again',
      ]);
      expect(health.count('full')).toBe(1);
    });

    it('ends a session in this process that cannot be removed, says so, and removes it when there is space', async () => {
      await checked(() => health.fault === 'full');
      const ended = 'the session has ended in this process, but it may come back when the process restarts';
      await expect(store.remove('key 1')).rejects.toThrow(ended);
      await expect(store.remove('key 2', 1)).rejects.toThrow(ended);
      await expect(store.remove('key 3', 7)).rejects.toMatchObject(UNAVAILABLE);
      expect(reports.filter((report) => report.includes(ended))).toHaveLength(2);
      expect(await store.read('key 1')).toBeUndefined();
      expect(await store.peek('key 2')).toBeUndefined();
      expect(await store.read('key 3')).toBeDefined();

      await rm(`${disk.path}/filler`);
      await checked(() => health.fault === undefined);
      expect(await store.replace('key 1', 1, 'late')).toBe(false);
      await store.close();
      expect(await keysIn(path)).toEqual(KEYS.filter((key) => !['key 1', 'key 2'].includes(key)));
    });
  },
);
