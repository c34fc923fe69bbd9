/**
 * An operation of a session that makes one request (spec: Endpoints).
 * @example
 * const names = ({ names }: PlatformOperation): string => names.join(' ');
 * console.log(PLATFORM_OPERATIONS.map(names)[0]); // login postLogin
 */
export interface PlatformOperation {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the base URL. */
  readonly path: string;
  /** The methods of `PlatformSession` that make it: its name and its alias. */
  readonly names: readonly string[];
}

/**
 * All of them. Their tests compare this list with `PlatformSession`, the page of the client and the embedded
 * platform.
 * @example
 * console.log(PLATFORM_OPERATIONS.map(({ path }) => path).includes('projects')); // true
 */
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
