import { InvalidRequestError } from '../../errors/error-classes.js';

/** What a URL parser removes or replaces without a word. */
const REWRITTEN = /[\p{Cc}\p{Cs}\\]/u;

/**
 * Reads the REST root, with or without its final `/`.
 * @throws TypeError when it is not an absolute http or https URL, or contains credentials, a query or a fragment
 */
export function readBaseUrl(given: string | URL): URL {
  const text: unknown = given instanceof URL ? given.href : given;
  if (typeof text !== 'string') throw new TypeError('baseUrl must be a string or a URL object.');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TypeError('baseUrl must be an absolute http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('baseUrl must not contain a user name or password.');
  }
  if (/[?#]/.test(text)) throw new TypeError('baseUrl must not contain a query or fragment.');
  if (REWRITTEN.test(text.trim())) {
    throw new TypeError('baseUrl must not contain control characters or backslashes.');
  }
  // With several, some servers answer 404, and a cookie for the path without them would not be sent.
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/`;
  return url;
}

/** Path of a URL below the base, without a leading `/` and without query. */
export function pathBelow(base: URL, url: URL): string {
  return url.pathname.slice(base.pathname.length);
}

/**
 * The URL of a path below the base, with or without a leading `/`. An absolute URL is accepted only when it is
 * below the base.
 * @throws InvalidRequestError when the result would be outside the base, because the token must not leave it
 */
export function resolveBelow(base: URL, path: string): URL {
  if (typeof path !== 'string') throw new InvalidRequestError('The path of a request must be a string.');
  if (REWRITTEN.test(path) || path !== path.trim()) {
    throw new InvalidRequestError(
      'The path of a request has characters that a URL cannot have: escape them.',
    );
  }
  const whole = path.startsWith(base.href);
  const target = whole ? path : base.href + path.replace(/^\//, '');
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const isForeign = !whole && /^(?:[a-z][a-z\d+.-]*:|\/\/|\\)/i.test(path);
  if (url === undefined || isForeign || !url.href.startsWith(base.href)) {
    throw new InvalidRequestError('The path of a request must be below the base URL.');
  }
  url.hash = '';
  return url;
}

/** Whether a path below the base is for logins, delegations and logouts. */
export function isAuthPath(path: string): boolean {
  return /^\/*auth\//.test(path);
}

/** Whether a path below the base is that of a login or a delegation. */
export function isLoginPath(path: string): boolean {
  return /^\/*auth\/(?:login|delegate)\/*$/.test(path);
}

/** Whether a call ends a session. */
export function isLogout(method: string, path: string): boolean {
  return method === 'POST' && /^\/*auth\/logout\/?$/.test(path);
}

/**
 * Whether a request may reach the platform twice: by RFC 9110, section 9.2.2, if its method is idempotent. A logout
 * counts as idempotent too, because the second one finds no session to end.
 */
export function mayBeRepeated(method: string, isLogoutCall: boolean): boolean {
  return (method !== 'POST' && method !== 'PATCH') || isLogoutCall;
}

/** What a call does, for sharing out the sockets: method and path without the ids of objects. */
export function operationOf(method: string, path: string): string {
  return `${method} ${path.length < ID_LENGTH ? path : path.replace(ID, ':id')}`;
}

/** The platform's ids (spec: 32 hexadecimal digits). */
const ID_LENGTH = 32;
const ID = /[0-9A-Fa-f]{32}/g;
