import { appendFileSync } from 'node:fs';
import { PLANTED_SECRETS } from '../../../packages/portico/test/support/secrets/canaries.js';

/** Set by `npm run canaries`: a folder where a test run notes each secret that it meets and each output that it sees. */
const FOLDER = process.env.SECRET_LEDGER;

/** The level at which a service logs that a test does not care about. */
export const LEDGER_LOG_LEVEL = FOLDER === undefined ? undefined : 'trace';

export function noteSecret(secret: string): void {
  if (FOLDER !== undefined) appendFileSync(`${FOLDER}/secrets`, `${secret}\n`);
}

export function noteOutput(text: string): void {
  if (FOLDER !== undefined) appendFileSync(`${FOLDER}/output`, `${text}\n`);
}

/** Notes what went in and came out of one GraphQL call. A handle may stand where it was asked for, and nowhere else. */
export function noteExchange(request: string, answer: string, setCookies: readonly string[]): void {
  if (FOLDER === undefined) return;
  for (const [secret] of request.matchAll(PLANTED_SECRETS)) noteSecret(secret);
  for (const [, handle = ''] of answer.matchAll(/"handle":"([\w-]{43})"/g)) noteSecret(handle);
  for (const cookie of setCookies) {
    const handle = /=([\w-]{43});/.exec(cookie)?.[1];
    if (handle !== undefined) noteSecret(handle);
  }
  noteOutput(answer.replaceAll(/"handle":"[\w-]{43}"/g, ''));
}
