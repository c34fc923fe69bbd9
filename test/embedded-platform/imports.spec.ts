import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

const FOLDER = join(import.meta.dirname, '../../src/embedded-platform');
const IMPORTED = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*(['"`])(?<name>[^'"`]+)\1/g;

/** Everything that a source text imports, re-exports, loads or requires. */
function importsOf(source: string): string[] {
  return [...source.matchAll(IMPORTED)].map((match) => match.groups?.name ?? '');
}

const isOwn = (name: string): boolean => /^\.\/[\w-]+\.js$/.test(name);
const isBuiltIn = (name: string): boolean =>
  name.startsWith('node:') && builtinModules.includes(name.slice('node:'.length));

describe('the code of the embedded platform', () => {
  it('shares nothing with the rest: it imports its own files and what Node brings', async () => {
    const files = (await readdir(FOLDER, { recursive: true })).filter((file) => file.endsWith('.ts'));
    const imports = await Promise.all(
      files.map(async (file) => importsOf(await readFile(join(FOLDER, file), 'utf8'))),
    );

    expect(files.length).toBeGreaterThan(10);
    expect(imports.flat().length).toBeGreaterThan(files.length);
    expect(imports.flat().filter((name) => !isOwn(name) && !isBuiltIn(name))).toEqual([]);
  });

  it('would be caught at importing a package or a file of ours', () => {
    const source = [
      "import { a } from '../client/index.js';",
      'import "got";',
      "export * from '../session/x.js';",
      "const b = await import('pino');",
      "import {\n  c,\n} from 'node:no-such-thing';",
      "import { d } from './own.js';",
    ].join('\n');

    expect(importsOf(source).filter((name) => !isOwn(name) && !isBuiltIn(name))).toEqual([
      '../client/index.js',
      'got',
      './../session/x.js',
      'pino',
      'node:no-such-thing',
    ]);
  });
});
