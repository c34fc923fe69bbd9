import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildASTSchema, type GraphQLSchema, parse } from 'graphql';

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
  const changes = await diff(schemaOf(before), schemaOf(after));
  const unreleased = /^## Unreleased\n(.*?)(?=^## |$(?![^]))/ms.exec(changelog)?.[1] ?? '';
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .filter(({ path }) => path === undefined || !unreleased.includes(`\`${path}\``))
    .map(({ message, path }) => `${path ?? 'the schema'}: ${message}`);
}

/** Whether a string is a schema. */
export function isSchema(sdl: string): boolean {
  try {
    schemaOf(sdl);
    return true;
  } catch {
    return false;
  }
}

/** The schema of SDL. Federation has directives that the SDL uses and does not define. */
export function schemaOf(sdl: string): GraphQLSchema {
  return buildASTSchema(parse(sdl), { assumeValidSDL: true });
}
