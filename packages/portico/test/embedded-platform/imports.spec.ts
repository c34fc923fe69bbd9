import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';

import { describe, expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../src/embedded-platform');
const IMPORTED = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*(['"`])(?<name>[^'"`]+)\1/g;

/** Everything that a source text imports, re-exports, loads or requires. */
function importsOf(source: string): string[] {
  // Comments have examples, which import the package.
  return [...source.replace(/^ *\/?\*.*$/gm, '').matchAll(IMPORTED)].map((match) => match.groups?.name ?? '');
}

/** The imports of a file that are neither in its own folder tree nor part of Node. */
function foreignImports(file: string, source: string): string[] {
  const isOwn = (name: string): boolean =>
    /^\.\.?\//.test(name) && resolve(dirname(file), name).startsWith(FOLDER + sep);
  const isBuiltIn = (name: string): boolean =>
    name.startsWith('node:') && builtinModules.includes(name.slice('node:'.length));
  return importsOf(source).filter((name) => !isOwn(name) && !isBuiltIn(name));
}

describe('the code of the embedded platform', () => {
  it('shares nothing with the rest: it imports its own files and Node only', async () => {
    const names = (await readdir(FOLDER, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const files = await Promise.all(
      names.map(async (name) => ({
        path: join(FOLDER, name),
        source: await readFile(join(FOLDER, name), 'utf8'),
      })),
    );

    expect(files.length).toBeGreaterThan(10);
    expect(files.flatMap(({ source }) => importsOf(source)).length).toBeGreaterThan(files.length);
    expect(files.flatMap(({ path, source }) => foreignImports(path, source))).toEqual([]);
  });

  it('would be caught importing a package or another file of the project', () => {
    const source = [
      "import { a } from '../../client/index.js';",
      'import "got";',
      "export * from '../../session/x.js';",
      "const b = await import('pino');",
      "import {\n  c,\n} from 'node:no-such-thing';",
      "import { d } from './own.js';",
      "import { e } from '../wire/answer.js';",
      "import { f } from '../../embedded-platform-2/x.js';",
    ].join('\n');

    expect(foreignImports(join(FOLDER, 'operations/routes.ts'), source)).toEqual([
      '../../client/index.js',
      'got',
      '../../session/x.js',
      'pino',
      'node:no-such-thing',
      '../../embedded-platform-2/x.js',
    ]);
  });
});
