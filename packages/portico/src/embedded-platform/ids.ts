import { createHash, randomBytes } from 'node:crypto';

const BASE_32 = '0123456789abcdefghijklmnopqrstuv';

/** An authentication or identity token: 26 characters with 130 random bits. */
export function randomToken(): string {
  return Array.from(randomBytes(26), (byte) => BASE_32.charAt(byte % 32)).join('');
}

/** 32 uppercase hex digits, the form of the platform's object ids and cookie values. */
export function randomId(): string {
  return randomBytes(16).toString('hex').toUpperCase();
}

/** The id of a named object: the same after every start, so that notes and tests can keep it. */
export function stableId(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32).toUpperCase();
}
