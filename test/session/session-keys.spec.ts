import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemsInKeyFile, sessionKeys } from '../../src/session/session-keys.js';
import { tempFolder } from '../support/temp-folder.js';

describe('session keys', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(() => folder.remove());

  it('are those of the settings, newest first', () => {
    const text = ['b', 'a'].map((kid) => `${kid}:${randomBytes(32).toString('base64')}`).join(',');
    const { keys, file } = sessionKeys(text, `${folder.path}/sessions.db`);
    expect(keys.map(({ kid }) => kid)).toEqual(['b', 'a']);
    expect(file).toBeUndefined();
  });

  it('are created once and kept next to the store, readable for the owner only', async () => {
    const path = `${folder.path}/data/sessions.db`;
    const made = sessionKeys(undefined, path);
    expect(made.keys[0].key).toHaveLength(32);
    expect((await stat(made.file ?? '')).mode & 0o777).toBe(0o600);
    expect(sessionKeys(undefined, path).keys).toEqual(made.keys);
  });

  it('are clearly demanded when the file holds something else', async () => {
    const file = `${folder.path}/sessions.db.keys`;
    await writeFile(file, 'CANARY-KEY');
    await chmod(file, 0o600);
    expect(() => sessionKeys(undefined, `${folder.path}/sessions.db`)).toThrow(
      `${file} holds no session keys of the form kid:base64(32 bytes)`,
    );
    expect(await readFile(file, 'utf8')).toBe('CANARY-KEY');
  });

  it('are clearly demanded when the settings hold none', () => {
    expect(() => sessionKeys('nothing', `${folder.path}/sessions.db`)).toThrow(
      'SESSION_KEYS holds no session keys of the form kid:base64(32 bytes)',
    );
  });
});

describe('the file of the session keys', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(() => folder.remove());
  const problems = (settings: { SESSION_KEYS?: string; production?: boolean } = {}): string[] =>
    problemsInKeyFile({ SESSION_STORE_PATH: `${folder.path}/sessions.db`, production: false, ...settings });

  it('has no problem before there is one, and none is made to see that', async () => {
    expect(problems()).toEqual([]);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('has no problem with the keys that the service made', () => {
    sessionKeys(undefined, `${folder.path}/sessions.db`);
    expect(problems()).toEqual([]);
  });

  it('has a problem when it holds something else, which counts only where it is used', async () => {
    const file = `${folder.path}/sessions.db.keys`;
    await writeFile(file, 'CANARY-KEY');
    expect(problems()).toEqual([
      `SESSION_KEYS is not set, and ${file} holds no session keys of the form kid:base64(32 bytes)`,
    ]);
    expect(problems({ SESSION_KEYS: 'given' })).toEqual([]);
    expect(problems({ production: true })).toEqual([]);
  });

  it('has a problem when it cannot be read', async () => {
    const file = `${folder.path}/sessions.db.keys`;
    await mkdir(file);
    expect(problems()).toEqual([
      `SESSION_KEYS is not set, and SESSION_STORE_PATH cannot be used: ${file}: it is a folder`,
    ]);
  });

  it.runIf(process.platform === 'linux')('has a problem when the system cannot read it', async () => {
    const file = `${folder.path}/sessions.db.keys`;
    await symlink('/proc/self/mem', file);
    expect(problems()).toEqual([`SESSION_KEYS is not set, and ${file} cannot be read (EIO)`]);
  });
});
