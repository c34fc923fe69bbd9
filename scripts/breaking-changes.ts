import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

/** The only directive in the schema that is not built in. */
const KEY_DIRECTIVE = 'directive @key(fields: String!) repeatable on OBJECT\n';

/**
 * The changes that break clients and are not listed in the changelog's unreleased section. A change is listed by its
 * path, for example `Query.me`.
 *
 * @param before the schema that clients know, as SDL.
 * @param after the schema of the code, as SDL.
 */
export async function unnamedBreakingChanges(
  before: string,
  after: string,
  changelog: string,
): Promise<string[]> {
  const changes = await diff(buildSchema(KEY_DIRECTIVE + before), buildSchema(KEY_DIRECTIVE + after));
  const unreleased = /^## Unreleased\n(.*?)(?=^## |$(?![^]))/ms.exec(changelog)?.[1] ?? '';
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .filter(({ path }) => path === undefined || !unreleased.includes(`\`${path}\``))
    .map(({ message, path }) => `${path ?? 'the schema'}: ${message}`);
}

/** Whether a string is a valid schema. */
export function isSchema(sdl: string): boolean {
  try {
    buildSchema(KEY_DIRECTIVE + sdl);
    return true;
  } catch {
    return false;
  }
}
