import { createHash, randomBytes } from 'node:crypto';
import { type CommandOptions } from './command-options.js';

const BYTES = 32;

/**
 * Prints a new entry of `SESSION_KEYS`. Without a given id, it gets one of today's date and a random part, so that no two hosts
 * make the same one.
 */
export function key({ id = newId() }: CommandOptions): number {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(id)) {
    process.stderr.write('portico: an id has 1 to 32 letters, digits, - and _\n');
    return 2;
  }
  process.stdout.write(`${id}:${randomBytes(BYTES).toString('base64')}\n`);
  return 0;
}

/** Prints a new key of a credential profile for its callers, and its digest for the file of profiles. */
export function profileKey(): number {
  const made = randomBytes(BYTES).toString('base64url');
  const digest = createHash('sha256').update(made).digest('hex');
  process.stdout.write(`profileKey: ${made}\nprofileKeySha256: ${digest}\n`);
  return 0;
}

function newId(): string {
  return `${new Date().toISOString().slice(0, 10)}-${randomBytes(2).toString('hex')}`;
}
