import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedSessionStore } from '../../../src/session/store/embedded-session-store.js';
import { tryStoreFile } from '../../../src/session/store/store-database.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { tempFolder } from '../../support/temp-folder.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };

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
