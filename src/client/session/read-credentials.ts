import { type LoginCredentials } from './login.js';
import { InvalidRequestError } from '../errors/error-classes.js';

/**
 * Credentials as JavaScript may give them. A mistake must not make a guest of somebody: what is no object, of another type or
 * of no known name is refused, and so is a password that lacks its user name.
 * @throws InvalidRequestError without any value in it
 */
export function readCredentials(given: unknown): LoginCredentials {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new InvalidRequestError('The credentials of a login must be an object.');
  }
  const fields = given as Record<string, unknown>;
  const { applicationType } = fields;
  if (present(applicationType) && !Number.isSafeInteger(applicationType)) {
    throw new InvalidRequestError('The application type of a login must be an integer.');
  }
  const username = text(fields, 'username');
  const password = text(fields, 'password');
  const apiKey = text(fields, 'apiKey');
  if (password !== undefined && username === undefined && apiKey === undefined) {
    throw new InvalidRequestError('A password needs a user name.');
  }
  const isAnonymous = [username, apiKey].every((credential) => credential === undefined);
  const others = Object.keys(fields).filter((name) => name !== 'applicationType' && present(fields[name]));
  if (isAnonymous && others.length > 0) {
    throw new InvalidRequestError('The credentials of a login are username, password and apiKey.');
  }
  return { username, password, apiKey, applicationType: applicationType as number | null | undefined };
}

function text(fields: Record<string, unknown>, name: string): string | undefined {
  const value = fields[name];
  if (!present(value)) return undefined;
  if (typeof value === 'string') return value;
  throw new InvalidRequestError(`The ${name} of a login must be a text.`);
}

function present(value: unknown): boolean {
  return value !== undefined && value !== null;
}
