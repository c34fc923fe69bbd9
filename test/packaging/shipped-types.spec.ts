import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Each package, with the folders and files that it has besides its types. */
const PACKAGES = [
  ['portico', 'packages/portico', ['README.md']],
  ['portico-service', '.', ['docs', 'examples', 'deploy', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']],
] as const;

describe('the comments of the types, which an editor shows,', () => {
  it.each(PACKAGES)('name no file that %s does not have', (_name, folder, shipped) => {
    const types = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.d.ts'),
    );
    const named = types.flatMap((name) => [
      ...readFileSync(join(folder, 'dist', name), 'utf8').matchAll(
        /\b(?:docs|examples|test|scripts|src)\/[\w./-]*\w/g,
      ),
    ]);
    const missing = named
      .map(([path]) => path)
      .filter((path) => !shipped.some((each) => path.startsWith(each)) || !existsSync(join(folder, path)));
    expect(types.length).toBeGreaterThan(50);
    expect(missing).toEqual([]);
  });
});
