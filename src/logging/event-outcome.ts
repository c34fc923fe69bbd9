import { type SessionEventKind } from './session-event.js';

/** How the answer of the API identifies an error. */
export interface ErrorFacts {
  /** A code of docs/errors.md. */
  readonly code: string;
  /** A reason of docs/errors.md. */
  readonly reason?: string | undefined;
}

/** `refused`: the service itself refused, without calling the platform. `failure`: it was tried. */
export type Outcome = 'success' | 'failure' | 'refused';

const REFUSING: ReadonlySet<string> = new Set(['RATE_LIMITED', 'OVERLOADED', 'FORBIDDEN']);

/** The outcome of an event. A session that the platform has dropped is not a failure. */
export function eventOutcome(kind: SessionEventKind, failure: ErrorFacts | undefined): Outcome {
  if (kind === 'refusal') return 'refused';
  if (failure === undefined || kind === 'expiry') return 'success';
  return REFUSING.has(failure.code) ? 'refused' : 'failure';
}
