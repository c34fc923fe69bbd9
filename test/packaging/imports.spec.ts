import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Prints the packages whose files are loaded with a door. */
const LOADED = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  await import(process.argv[1]);
  console.log(JSON.stringify([...packages].sort()));
`;

describe('an import', () => {
  it.each([
    ['client', []],
    ['credentials', []],
  ])(
    'of portico/%s loads no HTTP library, no YAML and no SDK: they come when they are used',
    async (door, own) => {
      const file = join(process.cwd(), 'packages/portico/dist', door, 'index.js');
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--input-type=module',
        '--eval',
        LOADED,
        file,
      ]);
      expect(JSON.parse(stdout)).toEqual(
        ['cockatiel', 'fastest-levenshtein', 'secure-json-parse', 'tldts', 'tough-cookie', ...own].sort(),
      );
    },
  );
});
