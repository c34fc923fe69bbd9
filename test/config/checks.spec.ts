import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isReadableFile, isReadableFolder } from '../../src/config/checks.js';

const FILE = fileURLToPath(import.meta.url);
const FOLDER = dirname(FILE);

describe('the checks of paths', () => {
  it('tell files and folders that can be read from anything else', () => {
    const paths = [FILE, FOLDER, `${FILE}/x`, pathToFileURL(FILE), pathToFileURL(FOLDER), 7];

    expect(paths.map(isReadableFile)).toEqual([true, false, false, false, false, false]);
    expect(paths.map(isReadableFolder)).toEqual([false, true, false, false, false, false]);
  });
});
