import { InvalidRequestError, type PlatformProject } from 'portico/client';
import { type ProjectConnection } from './project-connection.model.js';
import { type ProjectList, Project } from './project.model.js';
import { indexBehind, type Place, type Placed, ProjectOrder } from './project-order.js';
import { type ProjectFilter, type ProjectsArgs } from './projects.input.js';

/** An index in the platform's list never has more digits than this. */
const INDEX = /^\d{1,6}$/;

/**
 * How many projects have to be looked at for a page: all of them if they are filtered, or are not in that order yet.
 */
export function searchedForPage(projects: ProjectList, { filter, orderBy }: ProjectsArgs): number {
  return matcher(filter) !== undefined || !projects.isIn(orderBy) ? projects.length : 0;
}

/**
 * One page of a list.
 *
 * @throws InvalidRequestError for text that is not a cursor, and for a cursor of another order.
 */
export function projectPage(projects: ProjectList, args: ProjectsArgs): ProjectConnection {
  const { first, after, filter, orderBy } = args;
  const begin = typeof after === 'string' ? indexAfter(projects, orderBy, placeOf(after, orderBy)) : 0;
  const { before, behind } = matching(projects.inOrder(orderBy), begin, matcher(filter));
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

/**
 * The index of the first project after a place. The platform's own order continues after the project of the place,
 * or where that project stood if it is gone.
 */
function indexAfter(projects: ProjectList, order: ProjectOrder, place: Place): number {
  const list = projects.inOrder(order);
  if (order !== ProjectOrder.PLATFORM) return indexBehind(list, order, place);
  const index = list.findIndex(({ project }) => project.id === place.id);
  return index < 0 ? Math.min(Number(place.key), list.length) : index + 1;
}

type Matches = (project: PlatformProject) => boolean;

/** The projects that match: how many before a place, and those behind it. */
function matching(
  list: readonly Placed[],
  begin: number,
  matches: Matches | undefined,
): { before: number; behind: readonly Placed[] } {
  if (matches === undefined) return { before: begin, behind: list.slice(begin) };
  const all = ({ project }: Placed): boolean => matches(project);
  return { before: list.slice(0, begin).filter(all).length, behind: list.slice(begin).filter(all) };
}

/** Undefined if every project matches. */
function matcher(filter: ProjectFilter | null | undefined): Matches | undefined {
  const { nameContains, status, ids } = filter ?? {};
  const part = nameContains?.toLowerCase() ?? '';
  const wanted = ids && new Set(ids);
  const hasStatus = status !== undefined && status !== null;
  if (part === '' && !hasStatus && !wanted) return undefined;
  return ({ id, name, status: its }) =>
    (part === '' || name.toLowerCase().includes(part)) &&
    (!hasStatus || its === status) &&
    (wanted?.has(id) ?? true);
}

/** The cursor of a place in an order: opaque to callers, and good for that order in every instance. */
export function cursorOf(order: ProjectOrder, { key, id }: Place): string {
  return Buffer.from(JSON.stringify([order, key, id])).toString('base64url');
}

/** @throws InvalidRequestError for anything that is not a cursor of this order. */
export function placeOf(cursor: string, order: ProjectOrder): Place {
  const parts = parse(cursor);
  const [of, key, id] = Array.isArray(parts) && parts.length === 3 ? (parts as unknown[]) : [];
  if (typeof key !== 'string' || typeof id !== 'string') {
    throw new InvalidRequestError('after must be a cursor of projectsConnection');
  }
  if (of !== order) throw new InvalidRequestError('after must be a cursor of the same orderBy');
  if (order === ProjectOrder.PLATFORM && !INDEX.test(key)) {
    throw new InvalidRequestError('after must be a cursor of projectsConnection');
  }
  return { key, id };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
