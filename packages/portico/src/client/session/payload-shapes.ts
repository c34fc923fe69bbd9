import { type PlatformResponse } from '../connection/platform-response.js';
import { type ListCache } from '../connection/client-options.js';
import { PlatformHttpError } from '../../errors/error-classes.js';
import { isRecord } from '../../errors/read-json.js';

/**
 * A user, as `GET sessions/userInfo` returns it. Unknown fields are kept; a known field of an unexpected type is left
 * out (spec: User information).
 * @example
 * const user: PlatformUser = await session.getUserInfo();
 * console.log(user.initials); // DD
 */
export interface PlatformUser {
  id?: string | null;
  fullName?: string | null;
  initials?: string | null;
  [field: string]: unknown;
}

/**
 * A session, as `GET sessions` returns it. Unknown fields are kept; a known field of an unexpected type is left out
 * (spec: Session status).
 * @example
 * const info: PlatformSessionInfo = await session.getSessionInfo();
 * console.log(info.timeout); // 1800
 */
export interface PlatformSessionInfo {
  id?: string | null;
  fullName?: string | null;
  initials?: string | null;
  /** Idle seconds after which the platform ends the session. */
  timeout?: number | null;
  /** Locale identifier, such as 1033. */
  locale?: number | null;
  [field: string]: unknown;
}

/**
 * The owner of a project.
 * @example
 * const owner: PlatformProjectOwner | null | undefined = (await session.getProjects())[0]?.owner;
 */
export interface PlatformProjectOwner {
  id?: string | null;
  name?: string | null;
  [field: string]: unknown;
}

/**
 * A project, as `GET projects` lists it. Unknown fields are kept; a known field of an unexpected type is left out
 * (spec: Project).
 * @example
 * const projects: PlatformProject[] = await session.getProjects();
 * console.log(projects.length); // 12
 */
export interface PlatformProject {
  id: string;
  name: string;
  alias?: string | null;
  description?: string | null;
  /** The platform's state number; 0 is active. */
  status?: number | null;
  /** Date and time in the platform's format, such as `2015-06-30T21:55:35.000+0000`. */
  dateCreated?: string | null;
  /** Date and time in the platform's format. */
  dateModified?: string | null;
  owner?: PlatformProjectOwner | null;
  [field: string]: unknown;
}

/** The most projects that one response may list. */
const MAX_PROJECTS = 10_000;

/**
 * The payload behind a corrected object, and the number of projects that a list leaves out. Properties that are not
 * seen, because a read object holds the platform's fields and no others: it can be compared, spread and written as
 * JSON. Not a WeakMap: V8 keeps its keys for longer than a request lasts.
 */
const RAW = Symbol('as the platform sent it');
const LEFT_OUT = Symbol('projects left out');

function hide(object: object, name: symbol, value: unknown): void {
  Object.defineProperty(object, name, { value });
}

type FieldType = 'string' | 'number' | 'record';
type Shape = readonly (readonly [field: string, type: FieldType])[];

const shape = (fields: Readonly<Record<string, FieldType>>): Shape => Object.entries(fields);

const USER_FIELDS = { id: 'string', fullName: 'string', initials: 'string' } as const;
const USER = shape(USER_FIELDS);
const SESSION_INFO = shape({ ...USER_FIELDS, timeout: 'number', locale: 'number' });
const OWNER = shape({ id: 'string', name: 'string' });
const PROJECT = shape({
  id: 'string',
  name: 'string',
  alias: 'string',
  description: 'string',
  status: 'number',
  dateCreated: 'string',
  dateModified: 'string',
  owner: 'record',
});

/** @throws PlatformHttpError when the response is not a user */
export function readUser(response: PlatformResponse): PlatformUser {
  return withExpectedTypes(requireRecord(response, 'a user object'), USER);
}

/** @throws PlatformHttpError when the response is not the status of a session */
export function readSessionInfo(response: PlatformResponse): PlatformSessionInfo {
  return withExpectedTypes(requireRecord(response, 'a session object'), SESSION_INFO);
}

/** A shorter body is parsed about as quickly as it is found. In bytes. */
const LONG_BODY = 64 * 1024;

/**
 * An item without id and name is left out, since nothing could be done with it; {@link leftOutProjects} counts them.
 * @param cache where a long list is found again, and kept
 * @throws PlatformHttpError when the response is not a list of at most 10,000 items, or none of them is a project
 */
export function readProjects(response: PlatformResponse, cache?: ListCache): PlatformProject[] {
  if (cache === undefined || response.byteLength < LONG_BODY) return readList(response);
  const key = response.digest();
  const known = cache.get(key);
  if (known !== undefined) return known as PlatformProject[];
  const projects = readList(response);
  cache.set(key, projects, response.byteLength);
  return projects;
}

function readList(response: PlatformResponse): PlatformProject[] {
  const list = response.json();
  if (!Array.isArray(list)) throw unexpectedShape('a list of projects', response);
  if (list.length > MAX_PROJECTS) {
    const message = `The response lists more than ${MAX_PROJECTS} projects.`;
    throw new PlatformHttpError(message, { status: response.status });
  }
  const projects: PlatformProject[] = [];
  for (const item of list as unknown[]) {
    const project = readProject(item);
    if (project !== undefined) projects.push(project);
  }
  const missing = list.length - projects.length;
  if (missing > 0 && projects.length === 0) throw unexpectedShape('projects with id and name', response);
  if (missing > 0) hide(projects, LEFT_OUT, missing);
  return projects;
}

/**
 * How many projects of the platform's list were left out of what was read from it, because they lack an id or a name.
 * @param read what `getProjects` returned
 * @example
 * console.log(leftOutProjects(await session.getProjects())); // 0
 */
export function leftOutProjects(read: readonly PlatformProject[]): number {
  return (read as { readonly [LEFT_OUT]?: number })[LEFT_OUT] ?? 0;
}

function readProject(item: unknown): PlatformProject | undefined {
  if (!isRecord(item)) return undefined;
  const project = withExpectedTypes(item, PROJECT);
  const { id, name } = project;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  const owner = isRecord(project.owner) ? withExpectedTypes(project.owner, OWNER) : project.owner;
  if (owner === project.owner) return project as PlatformProject;
  const copy: PlatformProject = { ...project, ...(isRecord(owner) && { owner }), id, name };
  hide(copy, RAW, item);
  return copy;
}

/**
 * The object exactly as the platform sent it, including fields that were corrected or left out when it was read.
 * @param read what an operation returned, or one item of it
 * @example
 * const user = await session.getUserInfo();
 * console.log(Object.keys(rawPayload(user)).includes('fullName')); // true
 */
export function rawPayload(read: object): object {
  return (read as { readonly [RAW]?: object })[RAW] ?? read;
}

/**
 * The object itself when each known field has its expected type, otherwise a corrected copy. The specification does
 * not show the fields, so one of an unexpected type is left out instead of failing the response; a numeric id becomes
 * its decimal text, and a number that is written as text becomes a number.
 */
function withExpectedTypes(value: Record<string, unknown>, shape: Shape): Record<string, unknown> {
  for (const [name, type] of shape) {
    const field = value[name];
    // Most fields are strings; a call would take longer than this check.
    if (typeof field === 'string' ? type !== 'string' : !isOfType(field, type))
      return corrected(value, shape);
  }
  return value;
}

function corrected(value: Record<string, unknown>, shape: Shape): Record<string, unknown> {
  const copy = { ...value };
  for (const [name, type] of shape) {
    const given = value[name];
    if (isOfType(given, type)) continue;
    if (name === 'id' && Number.isSafeInteger(given)) copy[name] = String(given);
    else if (type === 'number' && typeof given === 'string' && /^ *-?\d{1,15} *$/.test(given))
      copy[name] = Number(given);
    else Reflect.deleteProperty(copy, name);
  }
  hide(copy, RAW, value);
  return copy;
}

function isOfType(value: unknown, type: FieldType): boolean {
  if (value === undefined || value === null) return true;
  if (type === 'record') return isRecord(value);
  return typeof value === type && (type !== 'number' || Number.isFinite(value));
}

function requireRecord(response: PlatformResponse, expected: string): Record<string, unknown> {
  const value = response.json();
  if (isRecord(value)) return value;
  throw unexpectedShape(expected, response);
}

function unexpectedShape(expected: string, response: PlatformResponse): PlatformHttpError {
  return new PlatformHttpError(`The response of the platform is not ${expected}.`, {
    status: response.status,
  });
}
