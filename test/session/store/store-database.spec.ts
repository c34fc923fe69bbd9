import fs from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedSessionStore } from '../../../src/session/store/embedded-session-store.js';
import { openStoreFile, tryStoreFile, unavailable } from '../../../src/session/store/store-database.js';
import { storeUnavailable } from '../../../src/errors/service-error.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { tempFolder } from '../../support/temp-folder.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };
const { accessSync } = fs;

/** Replaces what the system says of access, which it grants to a superuser who runs the tests. */
function sayOfAccess(say: typeof accessSync): void {
  Object.assign(fs, { accessSync: say });
  syncBuiltinESMExports();
}

describe('the file of another version of the embedded store', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/sessions.db`;
    const store = new EmbeddedSessionStore(path, LIFE);
    await store.create('key', 'sealed');
    await store.close();
  });
  afterEach(() => folder.remove());
  const change = (sql: string): void => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };

  it('serves as it is when a newer version has added to it', async () => {
    change(`
      ALTER TABLE session ADD COLUMN note TEXT;
      ALTER TABLE session ADD COLUMN count INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE further (name TEXT);`);
    const store = new EmbeddedSessionStore(path, LIFE);
    expect(await store.read('key')).toMatchObject({ sealed: 'sealed' });
    await store.create('other', 'sealed too');
    expect(await store.replace('key', 1, 'second')).toBe(true);
    expect(await store.read('other')).toMatchObject({ sealed: 'sealed too' });
    await store.close();
  });

  it('is set aside, and reported, when only newer versions understand it', async () => {
    change('UPDATE store_schema SET readable_from = 2; ALTER TABLE session DROP COLUMN sealed');
    const reports: string[] = [];
    const health = new StoreHealth((message) => reports.push(message));
    const store = new EmbeddedSessionStore(path, LIFE, Date.now, health);
    expect(await store.read('key')).toBeUndefined();
    await store.create('key', 'new');
    await store.close();
    expect(reports).toEqual([
      expect.stringMatching(/is of a newer version of Portico.*it is kept as .*sessions\.db\.newer-\d+$/),
    ]);
    expect(health.lastFault).toBe('newer');
    const [aside = ''] = (await readdir(folder.path)).filter((name) => name.includes('newer'));
    const kept = new DatabaseSync(`${folder.path}/${aside}`);
    expect(kept.prepare('SELECT key FROM session').all()).toEqual([{ key: 'key' }]);
    kept.close();
    expect((await readdir(folder.path)).filter((name) => name.includes('newer'))).toHaveLength(1);
  });
});

describe('trying the file of the embedded store', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(() => folder.remove());
  const all = async (): Promise<string[]> => (await readdir(folder.path, { recursive: true })).sort();

  it.each(['sessions.db', 'one/two/sessions.db'])('creates nothing: %s', async (name) => {
    tryStoreFile(`${folder.path}/${name}`);
    expect(await all()).toEqual([]);
  });

  it('changes nothing in a file that is there, be it empty', async () => {
    const path = `${folder.path}/sessions.db`;
    await writeFile(path, '');
    await chmod(path, 0o640);
    tryStoreFile(path);
    expect(await readFile(path, 'utf8')).toBe('');
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect(await all()).toEqual(['sessions.db']);
  });

  it('leaves the sessions in it', async () => {
    const path = `${folder.path}/sessions.db`;
    const store = new EmbeddedSessionStore(path, LIFE);
    await store.create('key', 'sealed');
    await store.close();
    const before = await readFile(path);
    tryStoreFile(path);
    expect(await readFile(path)).toEqual(before);
    expect(await all()).toEqual(['sessions.db']);
  });

  it('tells that another process has it open, and that it is something else', async () => {
    const path = `${folder.path}/sessions.db`;
    const store = new EmbeddedSessionStore(path, LIFE);
    expect(() => {
      tryStoreFile(path);
    }).toThrow(/another process has its file open/);
    await store.close();
    await writeFile(path, 'no database, and longer than the header of one'.repeat(20));
    expect(() => {
      tryStoreFile(path);
    }).toThrow(/not a database/);
  });

  it('names the path of the setting when a new file fails there, and leaves nothing', () => {
    const path = `${folder.path}/${'x'.repeat(300)}`;
    expect(() => {
      tryStoreFile(path);
    }).toThrow(`SESSION_STORE_PATH cannot be used: ${path}: ENAMETOOLONG`);
    return expect(all()).resolves.toEqual([]);
  });

  it.each([
    ['/proc/nope/x.db', 'no folder can be made there'],
    ['file/x.db', 'a part of the path is a file, not a folder'],
    ['folder', 'it is a folder'],
    ['link/x.db', 'no folder can be made there'],
    ['link', 'it is a link to a file that does not exist'],
  ])('refuses what the store itself refuses: %s', async (name, reason) => {
    await writeFile(`${folder.path}/file`, '');
    await mkdir(`${folder.path}/folder`);
    await symlink(`${folder.path}/nowhere`, `${folder.path}/link`);
    const path = name.startsWith('/') ? name : `${folder.path}/${name}`;
    expect(() => {
      tryStoreFile(path);
    }).toThrow(`SESSION_STORE_PATH cannot be used: ${path}: ${reason}`);
    expect(await all()).toEqual(['file', 'folder', 'link']);
  });
});

describe('a file of the embedded store that belongs to another user', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    sayOfAccess(accessSync);
    await folder.remove();
  });

  it.each([
    ['', fs.constants.R_OK],
    ['', fs.constants.W_OK],
    ['-wal', fs.constants.R_OK],
    ['-wal', fs.constants.W_OK],
  ])('is named, with the reason: sessions.db%s, in mode %i', async (end, forbidden) => {
    const path = `${folder.path}/sessions.db`;
    for (const file of [path, `${path}-wal`]) await writeFile(file, '');
    sayOfAccess((file, mode = 0) => {
      if (file !== `${path}${end}` || (mode & forbidden) === 0) return;
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    });
    expect(() => openStoreFile(path)).toThrow(
      `SESSION_STORE_PATH cannot be used: ${path}${end}: no permission`,
    );
  });
});

describe('a path of the embedded store that means something else to SQLite', () => {
  const before = process.cwd();
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => {
    folder = await tempFolder();
    process.chdir(folder.path);
  });
  afterEach(async () => {
    process.chdir(before);
    await folder.remove();
  });

  it.each([':memory:', 'file:sessions.db', 'file::memory:?cache=shared'])(
    'is the name of a file, whose sessions survive: %s',
    async (path) => {
      tryStoreFile(path);
      const store = new EmbeddedSessionStore(path, LIFE);
      await store.create('key', 'sealed');
      await store.close();
      tryStoreFile(path);
      const reopened = new EmbeddedSessionStore(path, LIFE);
      expect(await reopened.read('key')).toMatchObject({ sealed: 'sealed' });
      await reopened.close();
      expect(await readdir('.')).toEqual([path]);
    },
  );
});

describe('a journal beside the file of the embedded store', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  let firstPage: Buffer;
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/sessions.db`;
    openStoreFile(path).database.close();
    firstPage = (await readFile(path)).subarray(0, 4096);
  });
  afterEach(() => folder.remove());

  const header = (pageSize = 4096): Buffer => {
    const bytes = Buffer.alloc(32, 1);
    bytes.writeUInt32BE(pageSize, 8);
    return bytes;
  };
  /** A page in the journal, with the number of pages after its commit. */
  const frame = (number: number, committed: number, page: Uint8Array = Buffer.alloc(4096)): Buffer => {
    const bytes = Buffer.concat([Buffer.alloc(24), page]);
    bytes.writeUInt32BE(number, 0);
    bytes.writeUInt32BE(committed, 4);
    return bytes;
  };
  /** The first page with another identity, at one of its two places. */
  const other = (at: number): Buffer => {
    const page = Buffer.from(firstPage);
    page.writeUInt32BE((page.readUInt32BE(at) % 1000) + 1, at);
    return page;
  };

  it.each<[string, () => Buffer[], string[]]>([
    ['that is empty is its own', () => [], []],
    ['of a header alone is its own', () => [header()], []],
    ['with its first page is its own', () => [header(), frame(1, 3, firstPage)], []],
    [
      'with its first page after others is its own',
      () => [header(), frame(2, 0), frame(1, 3, firstPage)],
      [],
    ],
    ['with a commit that is not complete is its own', () => [header(), frame(2, 0)], []],
    ['with a page that is cut off is its own', () => [header(), frame(1, 3, other(60)).subarray(0, -1)], []],
    ['of pages that are too small is none', () => [header(511), Buffer.alloc(2000, 1)], []],
    [
      'of the smallest pages is read as any other',
      () => [header(512), frame(1, 3, other(60).subarray(0, 512))],
      ['journal'],
    ],
    ['of another identity is foreign', () => [header(), frame(1, 3, other(60))], ['journal']],
    ['of another application is foreign', () => [header(), frame(1, 3, other(68))], ['journal']],
    ['without a first page in its first commit is foreign', () => [header(), frame(2, 3)], ['journal']],
    [
      'with its first page after the first commit is foreign',
      () => [header(), frame(2, 0), frame(3, 3), frame(1, 4, firstPage)],
      ['journal'],
    ],
  ])('%s', async (_what, journal, expected) => {
    await writeFile(`${path}-wal`, Buffer.concat(journal()));
    const told: string[] = [];
    openStoreFile(path, (what) => told.push(what)).database.close();
    expect(told).toEqual(expected);
  });

  it('of another database is kept where the operator is told', async () => {
    const journal = Buffer.concat([header(), frame(1, 3, other(60))]);
    await writeFile(`${path}-wal`, journal);
    let aside = '';
    openStoreFile(path, (_what, where) => (aside = where)).database.close();
    expect(aside).toMatch(/sessions\.db-wal\.foreign-\d+$/);
    expect(await readFile(aside)).toEqual(journal);
  });

  it('beside an empty file is foreign', async () => {
    await writeFile(path, '');
    await writeFile(`${path}-wal`, Buffer.concat([header(), frame(1, 3, firstPage)]));
    const told: string[] = [];
    openStoreFile(path, (what) => told.push(what)).database.close();
    expect(told).toEqual(['journal']);
  });

  it('that cannot be read keeps the store from being opened', async () => {
    await mkdir(`${path}-wal`);
    expect(() => openStoreFile(path)).toThrow(
      /^The session store is unavailable: EISDIR.* \(.*sessions\.db\)$/,
    );
  });

  it('of a file without identity, as earlier versions made it, is its own after a crash', async () => {
    const earlier = new DatabaseSync(`${folder.path}/earlier.db`);
    earlier.exec(`PRAGMA journal_mode = WAL;
      CREATE TABLE session (key TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, sealed TEXT NOT NULL,
        idle_until INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT;
      PRAGMA wal_checkpoint(TRUNCATE);
      INSERT INTO session VALUES ('key', 1, 'sealed', 9000000000000, 9000000000000)`);
    for (const end of ['', '-wal'])
      await copyFile(`${folder.path}/earlier.db${end}`, `${folder.path}/left.db${end}`);
    earlier.close();
    const store = new EmbeddedSessionStore(`${folder.path}/left.db`, LIFE);
    expect(await store.read('key')).toMatchObject({ sealed: 'sealed' });
    await store.close();
  });

  it('finds the identity in the file itself, although nothing has been stored yet', () => {
    const [user, application] = [firstPage.readUInt32BE(60), firstPage.readUInt32BE(68)];
    expect(Math.min(user, application)).toBeGreaterThan(0);
    const again = openStoreFile(path);
    again.markJournal();
    expect(again.database.prepare('PRAGMA user_version').get()).toEqual({ user_version: user });
    again.database.close();
    const opened = openStoreFile(`${folder.path}/new.db`);
    const page = fs.readFileSync(`${folder.path}/new.db`);
    expect(page.readUInt32BE(60)).toBeGreaterThan(0);
    opened.database.close();
  });
});

describe('an error of SQLite, as that of a store', () => {
  it('says what SQLite says, with the path if there is one', () => {
    expect(unavailable(new Error('disk I/O error'))).toMatchObject({
      message: 'The session store is unavailable: disk I/O error',
    });
    expect(unavailable(new Error('disk I/O error'), '/data/x.db').message).toBe(
      'The session store is unavailable: disk I/O error (/data/x.db)',
    );
    expect(unavailable({}).message).toBe('The session store is unavailable: unknown error');
  });

  it('says what to do about another process where a file is opened', () => {
    expect(unavailable(new Error('database is locked'), '/data/x.db').message).toMatch(
      /another process has its file open: stop it, .* \(\/data\/x\.db\)$/,
    );
    expect(unavailable(new Error('database is locked')).message).toBe(
      'The session store is unavailable: database is locked',
    );
  });

  it('stays as it is if it is one already', () => {
    const error = storeUnavailable('down');
    expect(unavailable(error, '/data/x.db')).toBe(error);
  });
});
