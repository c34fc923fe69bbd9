/**
 * Fails where schema.gql would break a client and the changelog does not say so. Clients know the schema of the last
 * release; before the first one, the last that was committed and is not the one of now.
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

/** The schema that clients know, and since when. */
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
  console.log('Breaking changes were not looked for: git knows no earlier schema.gql to compare with.');
} else {
  const changes = await unnamedBreakingChanges(earlier.before, after, changelog);
  if (changes.length > 0) {
    console.error(
      `These changes since ${earlier.base} break clients. Name each by its path in the changelog, or take it back:\n${changes.join('\n')}`,
    );
    process.exitCode = 1;
  }
}
