import { hash, randomBytes } from 'node:crypto';

const HANDLE_BYTES = 32;
/** 32 bytes are 43 characters of base64url; the last one holds only four bits. */
const HANDLE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** How the caller sends the handle. A handle is accepted only by the transport that it was issued for. */
export type HandleTransport = 'cookie' | 'bearer';

/** A new handle: 32 random bytes as base64url. It is all that a caller ever receives. */
export function newHandle(): string {
  return randomBytes(HANDLE_BYTES).toString('base64url');
}

/** Whether a string can be a handle. The store is not asked about anything else. */
export function isHandle(text: string): boolean {
  return HANDLE.test(text);
}

/** The key under which a session is stored. It does not open the session. */
export function storeKey(handle: string): string {
  return hash('sha256', handle);
}

/** The store key of the handle of a request. It is computed once for each request, since several places need it. */
export function keyOf(presented: { readonly handle: string; key?: string }): string {
  return (presented.key ??= storeKey(presented.handle));
}
