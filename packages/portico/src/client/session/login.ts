import {
  InvalidRequestError,
  MissingCredentialError,
  PlatformHttpError,
} from '../../errors/error-classes.js';
import { type PlatformError } from '../../errors/platform-error.js';
import { type PlatformResponse } from '../connection/platform-response.js';
import { redirectHost } from '../connection/redirects.js';
import { type VendorHeaders } from '../connection/headers.js';
import { isRecord } from '../../errors/read-json.js';
import { unknownName } from '../../errors/unknown-name.js';

const MODES = ['standard', 'ldap'] as const;

/**
 * Where the platform checks a user name and password.
 * @example
 * const mode: LoginMode = 'ldap';
 * await session.login({ username: 'demo', password: 'demo', mode });
 */
export type LoginMode = (typeof MODES)[number];

/**
 * What to log in with; nothing at all is an anonymous login. Null means absent; an empty string does not.
 * @example
 * const credentials: LoginCredentials = { username: 'demo', password: 'demo', mode: 'ldap' };
 * await session.login(credentials);
 */
export interface LoginCredentials {
  /** With a password: mode 1. Alone: mode 4096, as a trusted user. */
  username?: string | null | undefined;
  /** Used only together with a user name; it may be empty. */
  password?: string | null | undefined;
  /** Mode 4096, unless user name and password are both given. */
  apiKey?: string | null | undefined;
  /** Where the platform checks a user name and password: itself, or the LDAP directory (mode 16). Default: itself. */
  mode?: LoginMode | null | undefined;
  /** Application type identifier. Default: the client's. */
  applicationType?: number | null | undefined;
}

/** A login as it is sent. */
export interface LoginRequest {
  readonly path: 'auth/login' | 'auth/delegate';
  /** JSON body (spec: Login request body, Delegate request body). */
  readonly body: Readonly<Record<string, unknown>>;
  /** The account, which may be a secret, as a name or a key; undefined if none is named. */
  readonly account?: string;
  /** Values to redact wherever the platform echoes them. */
  readonly secrets: readonly string[];
}

/** Spec: Login request body. Mode 16 is what the platform calls LDAP. */
const MODE = { standard: 1, ldap: 16, trusted: 4096, anonymous: 8, delegated: -1 } as const;

/** The identity token arrives in a header, so it can only hold what a header can. */
const IDENTITY_TOKEN = /^[\x20-\x7E]{1,4096}$/;

/**
 * `POST auth/login` for credentials. Spec, Endpoints: user name and password select mode 1, otherwise an API key
 * 4096, otherwise a user name alone 4096, otherwise 8. With `mode: 'ldap'`, user name and password select 16.
 */
export function loginRequest(credentials: LoginCredentials, defaultApplicationType: number): LoginRequest {
  const username = credentials.username ?? undefined;
  const password = credentials.password ?? undefined;
  const apiKey = credentials.apiKey ?? undefined;
  const applicationType = credentials.applicationType ?? defaultApplicationType;
  const path = 'auth/login';
  if (username !== undefined && password !== undefined) {
    const body = { username, password, loginMode: MODE[credentials.mode ?? 'standard'], applicationType };
    const secrets = apiKey === undefined ? [password] : [password, apiKey];
    return { path, body, secrets, account: username };
  }
  const given = password === undefined ? [] : [password];
  const trusted = apiKey ?? username;
  if (trusted === undefined) {
    return { path, body: { loginMode: MODE.anonymous, applicationType }, secrets: given };
  }
  // The user name of a trusted login is a secret too, because it may be an API key.
  const secrets = [...given, trusted];
  const body = { username: trusted, loginMode: MODE.trusted, applicationType };
  return { path, body, secrets, account: trusted };
}

/**
 * The identity token of a response.
 * @throws PlatformHttpError when there is not exactly one well-formed token
 */
export function identityTokenOf({ headers, status }: PlatformResponse, names: VendorHeaders): string {
  const [token, ...others] = headers.valuesOf(names.identityToken);
  if (isIdentityToken(token) && others.length === 0) return token;
  throw new PlatformHttpError('The response does not have exactly one well-formed identity token.', {
    status,
  });
}

/** @throws PlatformHttpError when the platform did not say that it has ended the session */
export function requireLoggedOut({ status }: PlatformResponse): void {
  if (status === 204) return;
  const message = `The platform answered the logout with HTTP ${status}; only 204 ends the session.`;
  throw new PlatformHttpError(message, { status });
}

function isIdentityToken(value: unknown): value is string {
  return typeof value === 'string' && IDENTITY_TOKEN.test(value);
}

/**
 * `POST auth/delegate` for an identity token. Its body has no application type.
 * @throws MissingCredentialError when the token is empty or not a string: without one this would be a different login
 * @throws InvalidRequestError when the token is malformed
 */
export function delegateRequest(identityToken: unknown): LoginRequest {
  if (typeof identityToken !== 'string' || identityToken === '') {
    throw new MissingCredentialError('The identity token is empty or not a string.');
  }
  if (!isIdentityToken(identityToken)) throw new InvalidRequestError('The identity token is malformed.');
  return {
    path: 'auth/delegate',
    body: { loginMode: MODE.delegated, identityToken },
    secrets: [identityToken],
  };
}

/**
 * The token of a login that was answered 204.
 * @throws PlatformHttpError when there is not exactly one well-formed token
 */
export function tokenOfLogin({ headers, status }: PlatformResponse, names: VendorHeaders): string {
  const token = names.tokenOf(headers);
  if (token !== undefined) return token;
  throw new PlatformHttpError('The platform accepted the login without exactly one well-formed token.', {
    status,
    tokenHeader: names.otherTokenHeader(headers),
  });
}

/**
 * The error for a login that was not answered 204. A 2xx is a failure too: by its code if it has one.
 * @param error what the response is on any other call
 */
export function loginFailure(response: PlatformResponse, error: PlatformError): PlatformError {
  const { status } = response;
  if (status >= 400 || error.kind !== 'protocol') return error;
  const message = `The platform answered the login with HTTP ${status}; only 204 starts a session.`;
  return new PlatformHttpError(message, { status, redirectHost: redirectHost(response) });
}

/**
 * LDAP knows users by name and password only.
 * @throws InvalidRequestError when one of them is missing
 */
export function requireLdapCredentials({ mode, username, password }: LoginCredentials): void {
  if (mode !== 'ldap' || (username != null && password != null)) return;
  throw new InvalidRequestError('The login mode ldap needs a user name and a password.');
}

/**
 * Whether a password is given without a user name or an API key. By the letter of the spec, that is an anonymous
 * login.
 */
export function isPasswordWithoutUsername({ username, password, apiKey }: LoginCredentials): boolean {
  return password != null && username == null && apiKey == null;
}

/**
 * Credentials as JavaScript may pass them. A mistake must not turn a user into a guest, so a value that is not an
 * object, a field of the wrong type or of an unknown name, and a password without a user name are all rejected.
 * @throws InvalidRequestError without any value in its message
 */
export function readCredentials(given: unknown): LoginCredentials {
  if (!isRecord(given)) throw new InvalidRequestError('The credentials of a login must be an object.');
  const { username, password, apiKey, mode, applicationType } = given;
  for (const [name, value] of Object.entries({ username, password, apiKey })) {
    if (value != null && typeof value !== 'string')
      throw new InvalidRequestError(`The ${name} of a login must be a string.`);
  }
  const credentials = {
    ...{ username, password, apiKey },
    mode: mode == null ? undefined : modeField(given),
    applicationType: applicationType == null ? undefined : applicationTypeField(applicationType),
  } as LoginCredentials;
  for (const name in given) {
    if (Object.hasOwn(credentials, name) || given[name] == null) continue;
    throw new InvalidRequestError(`Field ${name} of a login ${unknownName(name, Object.keys(credentials))}`);
  }
  if (isPasswordWithoutUsername(credentials)) throw new InvalidRequestError('A password needs a user name.');
  requireLdapCredentials(credentials);
  return credentials;
}

/** @throws InvalidRequestError when it is not one of the login modes */
export function modeField({ mode }: { readonly mode?: unknown }): LoginMode | undefined {
  if (mode == null) return undefined;
  const known = MODES.find((name) => name === mode);
  if (known !== undefined) return known;
  throw new InvalidRequestError(`The mode of a login must be one of ${MODES.join(', ')}.`);
}

function applicationTypeField(applicationType: unknown): number {
  if (Number.isSafeInteger(applicationType)) return applicationType as number;
  throw new InvalidRequestError('The application type of a login must be an integer.');
}
