import { randomBytes } from 'node:crypto';

/** A value of `SESSION_KEYS` with one new key. */
export function sessionKeysSetting(kid = 'test'): string {
  return `${kid}:${randomBytes(32).toString('base64')}`;
}
