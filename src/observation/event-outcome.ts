import { type SessionEventKind } from './session-event.js';

/** What an error is told by in the answer of the API. */
export interface ErrorFacts {
  /** A code of docs/errors.md. */
  readonly code: string;
  /** A reason of docs/errors.md. */
  readonly reason?: string | undefined;
}

/** `refused`: the service itself said no, and asked nobody. `failure`: it was tried. */
export type Outcome = 'success' | 'failure' | 'refused';

const REFUSING: ReadonlySet<string> = new Set(['RATE_LIMITED', 'OVERLOADED', 'FORBIDDEN']);

/** How an event went. That the platform has forgotten a session is no failure of anybody. */
export function eventOutcome(kind: SessionEventKind, failure: ErrorFacts | undefined): Outcome {
  if (kind === 'refusal') return 'refused';
  if (failure === undefined || kind === 'expiry') return 'success';
  return REFUSING.has(failure.code) ? 'refused' : 'failure';
}
