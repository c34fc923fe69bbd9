import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedSessionStore } from '../../../src/session/store/embedded-session-store.js';
import { SessionStoreUnavailableError } from '../../../src/errors/session-store-unavailable-error.js';
import { sessionStoreConformance } from '../../conformance/session-store.conformance.js';
import { manualClock } from '../../support/manual-clock.js';
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
    expect(() => new EmbeddedSessionStore(path, LIFE)).toThrow(SessionStoreUnavailableError);
  });

  it('fails as a store that is down once it is closed', async () => {
    const store = new EmbeddedSessionStore(path, LIFE);
    await store.close();
    await expect(store.read('key')).rejects.toThrow(SessionStoreUnavailableError);
    await expect(store.ping()).rejects.toThrow(SessionStoreUnavailableError);
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
});
