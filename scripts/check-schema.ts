/**
 * Fails where schema.gql would break a client and the changelog does not say so. Clients know the schema of the last
 * release; before the first one, that of the last commit.
 */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { unnamedBreakingChanges } from './breaking-changes.ts';

function git(...words: string[]): string | undefined {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

const base = git('describe', '--tags', '--abbrev=0')?.trim() ?? 'HEAD';
const before = git('show', `${base}:schema.gql`);
if (before === undefined) {
  console.log(`Breaking changes were not looked for: there is no schema.gql at ${base} to compare with.`);
} else {
  const [after, changelog] = await Promise.all([
    readFile(new URL('../schema.gql', import.meta.url), 'utf8'),
    readFile(new URL('../CHANGELOG.md', import.meta.url), 'utf8'),
  ]);
  const changes = await unnamedBreakingChanges(before, after, changelog);
  if (changes.length > 0) {
    console.error(
      `These changes since ${base} break clients. Name each by its path in the changelog, or take it back:\n${changes.join('\n')}`,
    );
    process.exitCode = 1;
  }
}
