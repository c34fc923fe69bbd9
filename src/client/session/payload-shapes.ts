import { type PlatformResponse } from '../connection/response/platform-response.js';
import { PlatformHttpError } from '../errors/error-classes.js';
import { isRecord } from '../json/is-record.js';
import { type PlatformProject, type PlatformSessionInfo, type PlatformUser } from './platform-types.js';

/** The most projects that one response may list. */
const MAX_PROJECTS = 10_000;

/**
 * The payload behind each corrected object. A WeakMap rather than a property, because a read object holds the platform's fields
 * and no others: it can be compared, spread and written as JSON.
 */
const rawPayloads = new WeakMap<object, object>();

type FieldType = 'string' | 'number' | 'record';
type Shape = Readonly<Record<string, FieldType>>;

const USER: Shape = { id: 'string', fullName: 'string', initials: 'string' };
const SESSION_INFO: Shape = { ...USER, timeout: 'number', locale: 'number' };
const OWNER: Shape = { id: 'string', name: 'string' };
const PROJECT: Shape = {
  id: 'string',
  name: 'string',
  alias: 'string',
  description: 'string',
  status: 'number',
  dateCreated: 'string',
  dateModified: 'string',
  owner: 'record',
};

/** @throws PlatformHttpError when the response is not a user */
export function readUser(response: PlatformResponse): PlatformUser {
  return withExpectedTypes(response.json(), USER, 'a user object', response);
}

/** @throws PlatformHttpError when the response is not the status of a session */
export function readSessionInfo(response: PlatformResponse): PlatformSessionInfo {
  return withExpectedTypes(response.json(), SESSION_INFO, 'a session object', response);
}

/** @throws PlatformHttpError when the response is not a list of at most 10,000 projects, each with id and name */
export function readProjects(response: PlatformResponse): PlatformProject[] {
  const list = response.json();
  if (!Array.isArray(list)) throw unexpectedShape('a list of projects', response);
  if (list.length > MAX_PROJECTS) {
    const message = `The response lists more than ${MAX_PROJECTS} projects.`;
    throw new PlatformHttpError(message, { status: response.status });
  }
  return list.map((item) => readProject(item, response));
}

function readProject(item: unknown, response: PlatformResponse): PlatformProject {
  const project = withExpectedTypes(item, PROJECT, 'project objects', response);
  const { id, name } = project;
  if (typeof id !== 'string' || typeof name !== 'string')
    throw unexpectedShape('projects with id and name', response);
  const owner = isRecord(project.owner)
    ? withExpectedTypes(project.owner, OWNER, 'an owner', response)
    : project.owner;
  if (project === item && owner === project.owner) return project as PlatformProject;
  const copy: PlatformProject = { ...project, ...(isRecord(owner) && { owner }), id, name };
  rawPayloads.set(copy, item as object);
  return copy;
}

/** The object exactly as the platform sent it, including fields that were corrected or left out when it was read. */
export function rawPayload(read: object): object {
  return rawPayloads.get(read) ?? read;
}

/**
 * The object itself when each known field has its expected type, otherwise a corrected copy. The specification does not show the
 * fields, so one of an unexpected type is left out instead of failing the response; a numeric id becomes its decimal text.
 */
function withExpectedTypes(
  value: unknown,
  shape: Shape,
  expected: string,
  response: PlatformResponse,
): Record<string, unknown> {
  if (!isRecord(value)) throw unexpectedShape(expected, response);
  const mismatches = Object.entries(shape).filter(([name, type]) => !isOfType(value[name], type));
  if (mismatches.length === 0) return value;
  const copy = { ...value };
  for (const [name] of mismatches) {
    if (name === 'id' && Number.isSafeInteger(value[name])) copy[name] = String(value[name]);
    else Reflect.deleteProperty(copy, name);
  }
  rawPayloads.set(copy, value);
  return copy;
}

function isOfType(value: unknown, type: FieldType): boolean {
  if (value === undefined || value === null) return true;
  return type === 'record' ? isRecord(value) : typeof value === type;
}

function unexpectedShape(expected: string, response: PlatformResponse): PlatformHttpError {
  return new PlatformHttpError(`The response of the platform is not ${expected}.`, {
    status: response.status,
  });
}
