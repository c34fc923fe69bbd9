import { createHash, randomBytes } from 'node:crypto';

const HANDLE_BYTES = 32;
/** 32 bytes are 43 characters of base64url; the last one carries four bits only. */
const HANDLE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** A new handle: 32 random bytes, base64url. It is all that a caller ever holds. */
export function newHandle(): string {
  return randomBytes(HANDLE_BYTES).toString('base64url');
}

/** False for whatever cannot be a handle, so that the store is never asked about it. */
export function isHandle(text: string): boolean {
  return HANDLE.test(text);
}

/** The name under which a session is stored: it does not open anything. */
export function storeKey(handle: string): string {
  return createHash('sha256').update(handle).digest('hex');
}
