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
 * Whether a request may reach the platform twice: by RFC 9110, section 9.2.2, if its method is idempotent. A logout counts as
 * idempotent too, because the second one finds no session to end.
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
