import { randomBytes } from 'node:crypto';

import { type Refusal } from './errors.js';

/** What the platform says to one call. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds that the answer is held back. */
  readonly delayMs?: number;
}

export function emptyAnswer(status: number, headers: Answer['headers'] = {}): Answer {
  return { status, headers, body: '' };
}

/** The content type is exactly `application/json`: some clients compare it so. */
export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** The error payload: `code`, `message`, `ticketId` and, where the back end has one, `iServerCode`. */
export function refusalAnswer({ status, code, message, iServerCode }: Refusal): Answer {
  return jsonAnswer(status, { code, message, ticketId: randomBytes(16).toString('hex'), iServerCode });
}

/** What a proxy says in front of a platform that is away: no JSON, no code. */
export function unavailablePage(): Answer {
  return {
    status: 503,
    headers: { 'content-type': 'text/html' },
    body: '<html><head><title>503 Service Unavailable</title></head><body>Service Unavailable</body></html>',
  };
}
