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

/** The packages that are loaded with a file of the build. */
async function loadedWith(path: string): Promise<readonly string[]> {
  const file = join(process.cwd(), path);
  const args = ['--input-type=module', '--eval', LOADED, file];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as readonly string[];
}

describe('an import', () => {
  it.each([
    ['client', []],
    ['credentials', []],
  ])(
    'of portico/%s loads no HTTP library, no YAML and no SDK: they come when they are used',
    async (door, own) => {
      expect(await loadedWith(`packages/portico/dist/${door}/index.js`)).toEqual(
        ['cockatiel', 'fastest-levenshtein', 'secure-json-parse', 'tldts', 'tough-cookie', ...own].sort(),
      );
    },
  );

  it('of the service loads nothing for metrics, traces or Redis: it comes where that is set', async () => {
    const loaded = await loadedWith('dist/app/app.factory.js');

    expect(loaded).toContain('@nestjs/graphql');
    expect(loaded.filter((name) => /prom-client|opentelemetry|redis/.test(name))).toEqual([]);
  });
});
