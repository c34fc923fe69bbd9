import { Cookie } from 'tough-cookie';
import { type SnapshotCookie } from './session-snapshot.js';

/** Whether a cookie can be sent in a `Cookie` header; a snapshot may contain anything. */
export function isSendable({ key, value }: Cookie): boolean {
  return (
    /^[!#$%&'*+\-.^_`|~\w()/:<>?@[\]{}\\"]+$/.test(key) && /^[\t\x20-\x3A\x3C-\x7E\x80-\xFF]*$/.test(value)
  );
}

/** Longest path first (RFC 6265, 5.4), then in a fixed order, which a snapshot keeps. */
export function byPathLength(a: Cookie, b: Cookie): number {
  return (b.path?.length ?? 0) - (a.path?.length ?? 0) || (orderOf(a) < orderOf(b) ? -1 : 1);
}

function orderOf({ domain, path, key }: Cookie): string {
  return `${domain ?? ''} ${path ?? ''} ${key}`;
}

export function toCookie(saved: SnapshotCookie): Cookie {
  const { name: key, value, domain, path, hostOnly, secure, httpOnly, sameSite, expires } = saved;
  return new Cookie({
    key,
    value,
    path,
    secure,
    httpOnly,
    ...(hostOnly ? {} : { domain }),
    ...(sameSite === undefined ? {} : { sameSite }),
    ...(expires === undefined ? {} : { expires: new Date(expires) }),
  });
}

export function toSnapshotCookie(cookie: Cookie): SnapshotCookie {
  const { key, value, domain, path, hostOnly, secure, httpOnly, sameSite, expires } = cookie;
  return {
    name: key,
    value,
    domain: domain ?? '',
    path: path ?? '/',
    hostOnly: hostOnly ?? false,
    secure,
    httpOnly,
    ...(sameSite === undefined ? {} : { sameSite }),
    ...(expires instanceof Date && !Number.isNaN(expires.getTime())
      ? { expires: expires.toISOString() }
      : {}),
  };
}
