/**
 * Fails if schema.gql breaks clients and the changelog does not list the change. Compares with the schema of the last
 * release or, before the first release, with the last committed schema that differs.
 */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { isSchema, unnamedBreakingChanges } from './breaking-changes.ts';

function git(...words: string[]): string | undefined {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

/** The schema that clients know, and the commit or release it comes from. */
function known(now: string): { base: string; before: string } | undefined {
  const release = git('describe', '--tags', '--abbrev=0')?.trim();
  const bases =
    release === undefined ? git('log', '--format=%h', '--', 'schema.gql')?.split('\n') : [release];
  for (const base of bases?.filter(Boolean) ?? []) {
    const before = git('show', `${base}:schema.gql`);
    if (before !== undefined && (base === release || (before !== now && isSchema(before))))
      return { base, before };
  }
  return undefined;
}

const [after, changelog] = await Promise.all([
  readFile(new URL('../schema.gql', import.meta.url), 'utf8'),
  readFile(new URL('../CHANGELOG.md', import.meta.url), 'utf8'),
]);
const earlier = known(after);
if (earlier === undefined) {
  console.log('Breaking changes were not checked: git has no earlier schema.gql to compare with.');
} else {
  const changes = await unnamedBreakingChanges(earlier.before, after, changelog);
  if (changes.length > 0) {
    console.error(
      `These changes since ${earlier.base} break clients. List each by its path in the changelog, or revert it:\n${changes.join('\n')}`,
    );
    process.exitCode = 1;
  }
}
