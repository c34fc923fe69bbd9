import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedSessionStore } from '../../../src/session/store/embedded-session-store.js';
import { sessionKeys } from '../../../src/session/session-keys.js';
import { makeOwnFile } from '../../../src/session/store/store-files.js';
import { tempFolder } from '../../support/temp-folder.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };

describe('the files of the embedded store', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let umask: number;
  beforeEach(async () => {
    folder = await tempFolder();
    umask = process.umask(0o022);
  });
  afterEach(async () => {
    process.umask(umask);
    await folder.remove();
  });
  const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

  it.each([0o000, 0o022, 0o277])('are for their owner alone, whatever the umask: %i', async (mask) => {
    await mkdir(`${folder.path}/there`);
    process.umask(mask);
    const path = `${folder.path}/there/sessions.db`;
    sessionKeys(undefined, path);
    const store = new EmbeddedSessionStore(path, LIFE);
    await store.create('key', 'sealed');
    const names = await readdir(`${folder.path}/there`);
    expect(names).toEqual(expect.arrayContaining(['sessions.db', 'sessions.db-wal', 'sessions.db.keys']));
    for (const name of names) expect(await modeOf(`${folder.path}/there/${name}`)).toBe('600');
    await store.close();
  });

  it('are created in folders that only their owner can open', async () => {
    process.umask(0);
    makeOwnFile(`${folder.path}/one/two/sessions.db`);
    expect(await modeOf(`${folder.path}/one`)).toBe('700');
    expect(await modeOf(`${folder.path}/one/two`)).toBe('700');
  });

  it('are not changed if they exist', async () => {
    const path = `${folder.path}/sessions.db`;
    await writeFile(path, 'content');
    await chmod(path, 0o640);
    makeOwnFile(path, 'other');
    expect(await modeOf(path)).toBe('640');
    expect(await readFile(path, 'utf8')).toBe('content');
  });

  it.each([
    ['a place where no folder can be', () => '/proc/nope/x.db', 'no folder can be made there'],
    ['a file', () => `${folder.path}/file/x.db`, 'a part of the path is a file, not a folder'],
    [
      'a folder in a file',
      () => `${folder.path}/file/folder/x.db`,
      'a part of the path is a file, not a folder',
    ],
    ['a folder', () => `${folder.path}/folder`, 'it is a folder'],
    ['a folder that is a link to nowhere', () => `${folder.path}/link/x.db`, 'no folder can be made there'],
    ['a link to nowhere', () => `${folder.path}/link`, 'it is a link to a file that does not exist'],
  ])('cannot be at %s, which is reported in one line', async (_what, pathOf, reason) => {
    await writeFile(`${folder.path}/file`, '');
    await mkdir(`${folder.path}/folder`);
    await symlink(`${folder.path}/nowhere`, `${folder.path}/link`);
    const path = pathOf();
    const message = `SESSION_STORE_PATH cannot be used: ${path}: ${reason}`;
    expect(() => new EmbeddedSessionStore(path, LIFE)).toThrow(message);
  });
});
