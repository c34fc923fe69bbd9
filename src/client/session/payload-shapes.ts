import { PlatformHttpError } from '../errors/error-classes.js';
import { type PlatformResponse } from '../connection/response/platform-response.js';
import { type PlatformProject, type PlatformSessionInfo, type PlatformUser } from './platform-types.js';

/** Projects that one answer may list. */
const MAX_PROJECTS = 10_000;

const originals = new WeakMap<object, object>();

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
  return fitted(response.json(), USER, 'a user object', response);
}

/** @throws PlatformHttpError when the answer is not the status of a session */
export function readSessionInfo(response: PlatformResponse): PlatformSessionInfo {
  return fitted(response.json(), SESSION_INFO, 'a session object', response);
}

/** @throws PlatformHttpError when the answer is not a list of at most 10,000 projects, each with id and name */
export function readProjects(response: PlatformResponse): PlatformProject[] {
  const list = response.json();
  if (!Array.isArray(list)) throw wrongShape('a list of projects', response);
  if (list.length > MAX_PROJECTS) throw wrongShape(`at most ${MAX_PROJECTS} projects`, response);
  return list.map((item) => readProject(item, response));
}

function readProject(item: unknown, response: PlatformResponse): PlatformProject {
  const project = fitted(item, PROJECT, 'project objects', response);
  const { id, name } = project;
  if (typeof id !== 'string' || typeof name !== 'string')
    throw wrongShape('projects with id and name', response);
  const owner = isRecord(project.owner) ? fitted(project.owner, OWNER, 'an owner', response) : project.owner;
  if (project === item && owner === project.owner) return project as PlatformProject;
  const copy: PlatformProject = { ...project, ...(isRecord(owner) && { owner }), id, name };
  originals.set(copy, item as object);
  return copy;
}

/** The object as the platform answered it, where one that was read had to be corrected: nothing of it is lost. */
export function asAnswered(read: object): object {
  return originals.get(read) ?? read;
}

/**
 * The object itself when each known field is of its type, else a copy that is right. The specification does not show the
 * fields, so that one of another type is left out and does not fail the answer; a number as id is taken as its decimal text.
 */
function fitted(
  value: unknown,
  shape: Shape,
  what: string,
  response: PlatformResponse,
): Record<string, unknown> {
  if (!isRecord(value)) throw wrongShape(what, response);
  const misfits = Object.entries(shape).filter(([name, type]) => !fits(value[name], type));
  if (misfits.length === 0) return value;
  const copy = { ...value };
  for (const [name] of misfits) {
    if (name === 'id' && Number.isSafeInteger(value[name])) copy[name] = String(value[name]);
    else Reflect.deleteProperty(copy, name);
  }
  originals.set(copy, value);
  return copy;
}

function fits(value: unknown, type: FieldType): boolean {
  if (value === undefined || value === null) return true;
  return type === 'record' ? isRecord(value) : typeof value === type;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrongShape(expected: string, response: PlatformResponse): PlatformHttpError {
  return new PlatformHttpError(`The platform answered something other than ${expected}.`, {
    status: response.status,
  });
}
