/**
 * Fails if schema.gql breaks clients, or subgraph.gql breaks the graphs of routers, and the changelog does not list the
 * change. Compares with the file of the last release or, before the first release, with the last committed one that
 * differs.
 */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { isSchema, unnamedBreakingChanges } from './breaking-changes.ts';

const changelog = await readFile(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
for (const file of ['schema.gql', 'subgraph.gql']) {
  const after = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
  const earlier = known(file, after);
  if (earlier === undefined) {
    console.log(`Breaking changes were not checked: git has no earlier ${file} to compare with.`);
    continue;
  }
  const changes = await unnamedBreakingChanges(earlier.before, after, changelog);
  if (changes.length > 0) {
    console.error(
      `These changes of ${file} since ${earlier.base} break clients. List each by its path in the changelog, or revert it:\n${changes.join('\n')}`,
    );
    process.exitCode = 1;
  }
}

/** The schema that clients know, and the commit or release it comes from. */
function known(file: string, now: string): { base: string; before: string } | undefined {
  const release = git('describe', '--tags', '--abbrev=0')?.trim();
  const bases = release === undefined ? git('log', '--format=%h', '--', file)?.split('\n') : [release];
  for (const base of bases?.filter(Boolean) ?? []) {
    const before = git('show', `${base}:${file}`);
    if (before !== undefined && (base === release || (before !== now && isSchema(before))))
      return { base, before };
  }
  return undefined;
}

function git(...words: string[]): string | undefined {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
