import { hash } from 'node:crypto';

const CHARACTERS = 16;

/** Names a session in the audit log: the same for all of its events, and useless to a reader who wants to use the session. */
export function publicSessionId(storeKey: string): string {
  return fingerprint(`session:${storeKey}`);
}

/** Stands for an account whose name is its credential. */
export function accountFingerprint(account: string): string {
  return `sha256:${fingerprint(`account:${account}`)}`;
}

function fingerprint(text: string): string {
  return hash('sha256', `portico audit ${text}`).slice(0, CHARACTERS);
}
