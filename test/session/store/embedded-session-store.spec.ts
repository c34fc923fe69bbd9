import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EmbeddedSessionStore } from '../../../src/session/store/embedded-session-store.js';
import { sessionStoreConformance } from '../../conformance/session-store.conformance.js';
import { commitsIn } from '../../support/session/commits-in.js';
import { manualClock } from '../../../packages/portico/test/support/manual-clock.js';
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
