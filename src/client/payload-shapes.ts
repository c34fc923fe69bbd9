import { PlatformHttpError } from './platform-error-kinds.js';
import type { PlatformResponse } from './platform-response.js';
import type { PlatformProject, PlatformSessionInfo, PlatformUser } from './platform-types.js';

/** Projects that one answer may list. */
const MAX_PROJECTS = 10_000;

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

/** @throws PlatformHttpError when the answer is not a user */
export function readUser(response: PlatformResponse): PlatformUser {
  return checked(response.json(), USER, 'user', response);
}

/** @throws PlatformHttpError when the answer is not the status of a session */
export function readSessionInfo(response: PlatformResponse): PlatformSessionInfo {
  return checked(response.json(), SESSION_INFO, 'session', response);
}

/** @throws PlatformHttpError when the answer is not a list of at most 10,000 projects, each with id and name */
export function readProjects(response: PlatformResponse): PlatformProject[] {
  const list = response.json();
  if (!Array.isArray(list)) throw wrongShape('a list of projects', response);
  if (list.length > MAX_PROJECTS) throw wrongShape(`at most ${MAX_PROJECTS} projects`, response);
  return list.map((item) => readProject(item, response));
}

function readProject(item: unknown, response: PlatformResponse): PlatformProject {
  const project = checked(item, PROJECT, 'project', response);
  const { id, name, owner } = project;
  if (typeof id !== 'string' || typeof name !== 'string')
    throw wrongShape('projects with id and name', response);
  if (isRecord(owner)) checked(owner, OWNER, 'owner', response);
  return project as PlatformProject;
}

function checked(
  value: unknown,
  shape: Shape,
  what: string,
  response: PlatformResponse,
): Record<string, unknown> {
  if (!isRecord(value)) throw wrongShape(`a ${what} object`, response);
  for (const [field, type] of Object.entries(shape)) {
    const actual = value[field];
    const fits = type === 'record' ? isRecord(actual) : typeof actual === type;
    if (actual !== undefined && actual !== null && !fits) {
      throw wrongShape(`a ${what} with a ${type} as ${field}`, response);
    }
  }
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrongShape(expected: string, response: PlatformResponse): PlatformHttpError {
  return new PlatformHttpError(`The platform answered something other than ${expected}.`, {
    status: response.status,
  });
}
