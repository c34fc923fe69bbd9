import { type PlatformProject } from 'portico/client';
import { type ProjectConnection } from './project-connection.model.js';
import { cursorOf, placeOf } from './project-cursor.js';
import { indexAfter, ordered } from './project-order.js';
import { Project } from './project.model.js';
import { type ProjectFilter, type ProjectsArgs } from './projects.input.js';

/**
 * One page of a list.
 *
 * @throws InvalidRequestError for text that is not a cursor, and for a cursor of another order.
 */
export function projectPage(
  projects: readonly PlatformProject[],
  { first, after, filter, orderBy }: ProjectsArgs,
): ProjectConnection {
  const list = ordered(projects, orderBy);
  const begin =
    after === undefined || after === null ? 0 : indexAfter(list, orderBy, placeOf(after, orderBy));
  const matches = matcher(filter);
  const before = list.slice(0, begin).filter(({ project }) => matches(project)).length;
  const behind = list.slice(begin).filter(({ project }) => matches(project));
  const edges = behind.slice(0, first).map(({ place, project }) => ({
    cursor: cursorOf(orderBy, place),
    node: new Project(project),
  }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    totalCount: before + behind.length,
    pageInfo: {
      hasNextPage: behind.length > edges.length,
      hasPreviousPage: before > 0,
      startCursor: edges[0]?.cursor,
      endCursor: edges.at(-1)?.cursor,
    },
  };
}

function matcher(filter: ProjectFilter | null | undefined): (project: PlatformProject) => boolean {
  const { nameContains, status, ids } = filter ?? {};
  const part = nameContains?.toLowerCase() ?? '';
  const wanted = ids && new Set(ids);
  return ({ id, name, status: its }) =>
    (part === '' || name.toLowerCase().includes(part)) &&
    (status === undefined || status === null || its === status) &&
    (wanted?.has(id) ?? true);
}
