import { invalidInput } from './errors.js';
import { type Fields, hasField, optionalInteger } from './fields.js';

const LOGIN_MODES = { 1: 'password', 8: 'anonymous', 16: 'password', 4096: 'trusted' } as const;

/** How a login proves who it is. Modes 1 (standard) and 16 (LDAP) both take a user name and a password. */
export type LoginKind = (typeof LOGIN_MODES)[keyof typeof LOGIN_MODES];

/** By `loginMode`; without it, by the credentials in the body. */
export function loginKindOf(fields: Fields): LoginKind {
  const loginMode = optionalInteger(fields, 'loginMode');
  if (loginMode === undefined) return kindByCredentials(fields);
  if (!isOffered(loginMode)) throw invalidInput('Field loginMode must be 1, 8, 16 or 4096.');
  return LOGIN_MODES[loginMode];
}

function kindByCredentials(fields: Fields): LoginKind {
  if (!hasField(fields, 'username')) return 'anonymous';
  return hasField(fields, 'password') ? 'password' : 'trusted';
}

function isOffered(loginMode: number): loginMode is keyof typeof LOGIN_MODES {
  return Object.hasOwn(LOGIN_MODES, loginMode);
}
