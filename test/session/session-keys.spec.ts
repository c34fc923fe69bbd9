import { randomBytes } from 'node:crypto';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionKeys } from '../../src/session/session-keys.js';
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
});
