/** An operation of a session that makes one request (spec: Endpoints). */
export interface PlatformOperation {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the base URL. */
  readonly path: string;
  /** The methods of `PlatformSession` that make it: its name and its alias. */
  readonly names: readonly string[];
}

/** All of them. Their tests compare this list with `PlatformSession`, docs/client.md and the embedded platform. */
export const PLATFORM_OPERATIONS: readonly PlatformOperation[] = [
  { method: 'POST', path: 'auth/login', names: ['login', 'postLogin'] },
  { method: 'POST', path: 'auth/delegate', names: ['delegate'] },
  { method: 'POST', path: 'auth/logout', names: ['logout', 'postLogout'] },
  { method: 'POST', path: 'auth/identityToken', names: ['createIdentityToken'] },
  { method: 'PUT', path: 'sessions', names: ['putSessions', 'extendSession'] },
  { method: 'GET', path: 'sessions', names: ['getSessions', 'getSessionInfo'] },
  { method: 'GET', path: 'sessions/userInfo', names: ['getSessionsUserInfo', 'getUserInfo'] },
  { method: 'GET', path: 'projects', names: ['getProjects'] },
];

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
export function mayBeRepeated(method: string, path: string): boolean {
  return (method !== 'POST' && method !== 'PATCH') || isLogout(method, path);
}

/** What a call does, for sharing out the sockets: method and path without the ids of objects. */
export function operationOf(method: string, path: string): string {
  return `${method} ${path.length < ID_LENGTH ? path : path.replace(ID, ':id')}`;
}

/** The platform's ids (spec: 32 hexadecimal digits). */
const ID_LENGTH = 32;
const ID = /[0-9A-Fa-f]{32}/g;
