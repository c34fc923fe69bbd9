import { randomBytes } from 'node:crypto';

import { internalError, Refusal } from './errors.js';

/** What the platform answers to one call. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds to wait before the answer is sent. */
  readonly delayMs?: number;
}

export function emptyAnswer(status: number, headers: Answer['headers'] = {}): Answer {
  return { status, headers, body: '' };
}

/** The content type is exactly `application/json`: some clients compare the whole header. */
export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** The error payload for anything thrown. It reveals nothing about an unexpected error. */
export function toRefusalAnswer(error: unknown): Answer {
  const { status, code, message, iServerCode } = error instanceof Refusal ? error : internalError();
  return jsonAnswer(status, { code, message, ticketId: randomBytes(16).toString('hex'), iServerCode });
}

/** The answer of a proxy in front of a platform that is down: not JSON, no code. */
export function unavailablePage(): Answer {
  return {
    status: 503,
    headers: { 'content-type': 'text/html' },
    body: '<html><head><title>503 Service Unavailable</title></head><body>Service Unavailable</body></html>',
  };
}
