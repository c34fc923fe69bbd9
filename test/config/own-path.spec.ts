import { readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, pathReason } from '../../src/config/own-path.js';
import { tempFolder } from '../support/temp-folder.js';

describe('a folder of the service', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(() => folder.remove());

  it('is made with those above it, all with the same rights', () => {
    makeFolder(join(folder.path, 'one', 'two'), 0o700);

    for (const path of ['one', 'one/two']) {
      expect(statSync(join(folder.path, path)).mode & 0o777, path).toBe(0o700);
    }
  });

  it('stays as it is where there is one', () => {
    writeFileSync(join(folder.path, 'file'), '');

    makeFolder(folder.path, 0o777);

    expect(readdirSync(folder.path)).toEqual(['file']);
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  });

  it('may be made by another process at the same time', () => {
    // A link to nothing: it is not there when one looks, and it is when one makes a folder of its name.
    const path = join(folder.path, 'link');
    symlinkSync('nowhere', path);

    expect(() => {
      makeFolder(path, 0o700);
    }).not.toThrow();
  });

  it('cannot be made in a file', () => {
    const path = join(folder.path, 'file');
    writeFileSync(path, '');

    expect(() => {
      makeFolder(join(path, 'one'), 0o700);
    }).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  it('is refused in words, or by the code of the system where there are none', () => {
    expect(pathReason('ENOTDIR')).toBe('a part of the path is a file, not a folder');
    expect(pathReason('EMFILE')).toBe('EMFILE');
    expect(pathReason()).toBe('unknown error');
  });
});
