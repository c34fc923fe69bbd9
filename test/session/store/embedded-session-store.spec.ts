import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EmbeddedSessionStore, open, tryOut } from '../../../src/session/store/embedded-session-store.js';
import { type Settings } from '../../../src/config/settings.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { sessionStoreConformance } from '../../conformance/session-store.conformance.js';
import { commitsIn } from '../../support/session/commits-in.js';
import { manualClock, type ManualClock } from '../../../packages/portico/test/support/manual-clock.js';
import { tempFolder } from '../../support/temp-folder.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };

sessionStoreConformance('embedded', async (life) => {
  const folder = await tempFolder();
  const clock = manualClock();
  const store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, life, clock.now);
  return {
    store,
    advance: (milliseconds) => {
      clock.advance(milliseconds);
    },
    close: async () => {
      await store.close();
      await folder.remove();
    },
  };
});

describe('the embedded session store', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/sessions.db`;
  });
  afterEach(() => folder.remove());

  it.each([2, -2])(
    'ends nothing when the clock of the machine jumps by %d hours for a moment',
    async (hours) => {
      const store = new EmbeddedSessionStore(path, LIFE);
      await store.create('key', 'sealed');
      const clock = vi.spyOn(Date, 'now');
      clock.mockImplementation(() => performance.timeOrigin + performance.now() + hours * 3_600_000);
      await store.create('other', 'sealed');
      expect(await store.read('key')).toMatchObject({ sealed: 'sealed' });
      clock.mockRestore();
      await store.create('third', 'sealed');
      for (const key of ['key', 'other', 'third'])
        expect(await store.read(key)).toMatchObject({ version: 1 });
      await store.close();
    },
  );

  it('still has its sessions after it was closed and opened again', async () => {
    const store = new EmbeddedSessionStore(path, LIFE);
    await store.create('key', 'sealed');
    await store.close();

    const again = new EmbeddedSessionStore(path, LIFE);
    expect(await again.read('key')).toMatchObject({ sealed: 'sealed', version: 1 });
    await again.close();
  });

  it('reports clearly when the file is already open', async () => {
    const store = new EmbeddedSessionStore(path, LIFE);
    await store.create('key', 'sealed');
    expect(() => new EmbeddedSessionStore(path, LIFE)).toThrow(/another process has its file open/);
    await store.close();
  });

  it('refuses a file that is not a session file, and does not change it', async () => {
    await writeFile(path, 'something else, long enough to be looked at as a database header'.repeat(20));
    expect(() => new EmbeddedSessionStore(path, LIFE)).toThrow('The session store is unavailable');
  });

  it('ends an unused session in time although the clock was set back', async () => {
    const clock = manualClock();
    const store = new EmbeddedSessionStore(path, LIFE, clock.now);
    await store.create('unread', 'sealed');
    clock.advance(-3_600_000);
    await store.create('new', 'sealed');
    clock.advance(61_000);
    expect(await store.read('unread')).toBeUndefined();
    await store.close();
  });

  it('does not grow with sessions that have ended', async () => {
    const clock = manualClock();
    const store = new EmbeddedSessionStore(path, LIFE, clock.now);
    for (let n = 0; n < 50; n += 1) await store.create(`old ${n}`, 'sealed');
    clock.advance(601_000);
    await store.create('new', 'sealed');
    await store.close();

    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(path);
    expect(database.prepare('SELECT count(*) AS rows FROM session').get()).toEqual({ rows: 1 });
    database.close();
  });

  it('confirms many logins with one commit', async () => {
    const store = new EmbeddedSessionStore(path, LIFE);
    await store.create('before', 'sealed');
    const before = await commitsIn(path);
    await Promise.all(Array.from({ length: 100 }, (_, n) => store.create(`key ${n}`, 'sealed')));
    expect((await commitsIn(path)) - before).toBe(1);
    expect(await store.count()).toBe(101);
    await store.close();
  });

  it('refuses a key that is taken, and keeps the sessions that came with it', async () => {
    const store = new EmbeddedSessionStore(path, LIFE);
    await store.create('taken', 'first');
    const all = ['a', 'taken', 'b'].map((key) => store.create(key, 'sealed'));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({
      reason: expect.objectContaining({ code: 'SESSION_STORE_UNAVAILABLE' }) as unknown,
    });
    for (const key of ['a', 'b']) expect(await store.read(key)).toMatchObject({ sealed: 'sealed' });
    expect(await store.read('taken')).toMatchObject({ sealed: 'first' });
    await store.close();
  });

  it('reads what is still to be confirmed', async () => {
    const store = new EmbeddedSessionStore(path, LIFE);
    const created = store.create('key', 'first');
    expect(await store.read('key')).toMatchObject({ sealed: 'first', version: 1 });
    const replaced = store.replace('key', 1, 'second');
    expect(await store.peek('key')).toMatchObject({ sealed: 'second', version: 2 });
    const removed = store.remove('key', 2);
    expect(await store.count()).toBe(0);
    expect(await Promise.all([created, replaced, removed])).toEqual([expect.any(Number), true, true]);
    await store.close();
  });

  it('does what came before it was closed', async () => {
    const store = new EmbeddedSessionStore(path, LIFE);
    const created = store.create('key', 'sealed');
    await store.close();
    expect(await created).toEqual(expect.any(Number));
    await expect(store.create('late', 'sealed')).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });

    const again = new EmbeddedSessionStore(path, LIFE);
    expect(await again.read('key')).toMatchObject({ sealed: 'sealed' });
    await again.close();
  });

  it('goes on with the sessions of a file whose rows have no number', async () => {
    const { DatabaseSync } = await import('node:sqlite');
    const older = new DatabaseSync(path);
    older.exec(`
      CREATE TABLE session (
        key TEXT PRIMARY KEY, version INTEGER NOT NULL, sealed TEXT NOT NULL,
        idle_until INTEGER NOT NULL, expires_at INTEGER NOT NULL
      ) WITHOUT ROWID, STRICT;
      INSERT INTO session VALUES ('old', 3, 'sealed', ${Date.now() + 60_000}, ${Date.now() + 600_000});
    `);
    older.close();
    const store = new EmbeddedSessionStore(path, LIFE);
    await store.create('new', 'sealed');
    expect(await store.read('old')).toMatchObject({ version: 3 });
    expect(await store.replace('old', 3, 'again')).toBe(true);
    expect(await store.remove('new')).toBe(true);
    expect(await store.count()).toBe(1);
    await store.close();
  });

  it('sweeps a hundred at each login until nothing is left to sweep', async () => {
    const clock = manualClock();
    const store = new EmbeddedSessionStore(path, LIFE, clock.now);
    await Promise.all(Array.from({ length: 250 }, (_, n) => store.create(`old ${n}`, 'sealed')));
    clock.advance(601_000);
    for (let n = 0; n < 3; n += 1) await store.create(`new ${n}`, 'sealed');
    await store.close();

    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(path);
    expect(database.prepare('SELECT count(*) AS rows FROM session').get()).toEqual({ rows: 3 });
    database.close();
  });
});

describe('the embedded session store, by its clock', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  let clock: ManualClock;
  let start: number;
  let store: EmbeddedSessionStore;
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/sessions.db`;
    clock = manualClock();
    start = clock.now();
    store = new EmbeddedSessionStore(path, LIFE, clock.now);
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });
  const endAll = async (...keys: string[]): Promise<void> => {
    await Promise.all(keys.map((key) => store.create(key, 'sealed')));
    for (const key of keys) await store.end(key, 'operator');
  };
  const endedSince = async (since: number): Promise<string[]> =>
    (await store.endings(since)).map(({ key }) => key);

  it('writes a longer idle time after more than a tenth of it, and not before', async () => {
    await store.create('key', 'sealed');
    clock.advance(6000);
    await store.read('key');
    expect(await store.peek('key')).toMatchObject({ idleExpiresAt: start + 60_000 });
    clock.advance(1);
    await store.read('key');
    expect(await store.peek('key')).toMatchObject({ idleExpiresAt: start + 66_001 });
  });

  it('forgets the use of the platform with its session, and only then', async () => {
    await store.create('key', 'sealed');
    store.noteUse('key', 1000, 2000);
    await store.remove('key', 7);
    expect(await store.peek('key')).toMatchObject({ platformUse: { at: 1000, timeoutMs: 2000 } });
    await store.remove('key');
    await store.create('key', 'sealed');
    expect(await store.peek('key')).toMatchObject({ platformUse: undefined });
  });

  it('tells of what was ended at a time or later, for ten minutes', async () => {
    expect(await store.endings(0)).toEqual([]);
    await endAll('a');
    clock.advance(1);
    await endAll('b');
    expect(await endedSince(start)).toEqual(['a', 'b']);
    expect(await endedSince(start + 1)).toEqual(['b']);
    clock.advance(599_999);
    await endAll('c');
    expect(await endedSince(0)).toEqual(['a', 'b', 'c']);
    clock.advance(1);
    await endAll('d');
    expect(await endedSince(0)).toEqual(['b', 'c', 'd']);
  });

  it('tells of a thousand at once', async () => {
    await endAll(...Array.from({ length: 1001 }, (_, n) => `key ${n}`));
    expect((await endedSince(0)).slice(998)).toEqual(['key 998', 'key 999']);
  });

  it('says when a session was last used, and when it ends', async () => {
    await store.create('key', 'sealed');
    clock.advance(10_000);
    await store.read('key');
    clock.advance(10_000);
    expect(await store.summary('key')).toEqual({
      key: 'key',
      sealed: 'sealed',
      lastUsedAt: start + 10_000,
      idleExpiresAt: start + 70_000,
      expiresAt: start + 600_000,
    });
    clock.advance(-3_600_000);
    const now = clock.now();
    expect(await store.summary('key')).toMatchObject({
      lastUsedAt: now,
      idleExpiresAt: now + 600_000,
      expiresAt: now + 600_000,
    });
  });

  it('lists each of more sessions than fit into one answer once', async () => {
    const keys = Array.from({ length: 1001 }, (_, n) => `key ${n}`).sort();
    await Promise.all(keys.map((key) => store.create(key, 'sealed')));
    const batches = [];
    for await (const listed of store.list()) batches.push(listed);
    expect(batches.map(({ length }) => length)).toEqual([1000, 1]);
    expect(batches.flat().map(({ key }) => key)).toEqual(keys);
    expect(batches[1]).toEqual([
      {
        key: keys.at(-1),
        sealed: 'sealed',
        lastUsedAt: start,
        idleExpiresAt: start + 60_000,
        expiresAt: start + 600_000,
      },
    ]);
  });

  it('can be reached until it is closed', async () => {
    await store.reach();
    await store.close();
    await expect(store.reach()).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
  });

  it('shortens the sessions that would live longer than a new one since its clock was set back, and ends none', async () => {
    await store.create('key', 'sealed');
    clock.advance(-3_600_000);
    await store.create('new', 'sealed');
    expect(await store.read('key')).toMatchObject({ expiresAt: clock.now() + 600_000 });
    clock.advance(3_600_000);
    expect(await store.read('key')).toBeUndefined();
  });

  it('sweeps at most every tenth of a second once there is little to sweep', async () => {
    let copies = 0;
    const rows = async (): Promise<unknown> => {
      const copy = `${folder.path}/copy-${(copies += 1)}.db`;
      for (const end of ['', '-wal']) await copyFile(`${path}${end}`, `${copy}${end}`);
      const database = new DatabaseSync(copy);
      const keys = database.prepare('SELECT key FROM session ORDER BY key').all();
      database.close();
      return keys.map(({ key }) => key);
    };
    await store.create('old 1', 'sealed');
    clock.advance(50);
    await store.create('old 2', 'sealed');
    clock.advance(59_950);
    await store.create('new 1', 'sealed');
    expect(await rows()).toEqual(['new 1', 'old 2']);
    clock.advance(99);
    await store.create('new 2', 'sealed');
    expect(await rows()).toEqual(['new 1', 'new 2', 'old 2']);
    clock.advance(1);
    await store.create('new 3', 'sealed');
    expect(await rows()).toEqual(['new 1', 'new 2', 'new 3']);
  });

  it('is opened and tried out as the settings say, by the trial without a trace', async () => {
    const settings = {
      SESSION_STORE_PATH: `${folder.path}/other/sessions.db`,
      SESSION_IDLE_SECONDS: 60,
      SESSION_MAX_SECONDS: 600,
    } as Settings;
    const before = await readdir(folder.path);
    expect(await tryOut(settings)).toEqual({ product: `SQLite ${process.versions.sqlite ?? ''}` });
    expect(await readdir(folder.path)).toEqual(before);
    const health = new StoreHealth();
    const backend = await open(settings, health);
    expect(backend.health).toBe(health);
    const expiresAt = await backend.sessions.create('key', 'sealed');
    expect(Math.abs(expiresAt - 600_000 - Date.now())).toBeLessThan(60_000);
    expect(await backend.logins.look(['key'], undefined)).toEqual({ failures: [0], isKnownPlace: false });
    await expect(tryOut(settings)).rejects.toThrow('another process has its file open');
    await backend.sessions.close();
  });
});
