/**
 * The door `portico/errors`: what a client of the API needs to tell errors apart. It runs in browsers, so nothing but
 * types is imported from the tables with their texts.
 */
import type { ErrorCode } from './error-codes.js';
import type { ErrorReason } from './error-reasons.js';
import { REASONS_OF_CODES } from './client-table.js';

export { REASONS_OF_CODES } from './client-table.js';
export { ERROR_CODES } from './error-codes.js';
export { ERROR_REASONS, REASON_TABLE, type ReasonFacts } from './error-reasons.js';
export type { ErrorCode } from './error-codes.js';
export type { ErrorReason } from './error-reasons.js';

/** The extensions of an error in an answer (docs/errors.md). */
export interface PorticoErrorExtensions {
  readonly code: ErrorCode;
  readonly reason?: ErrorReason;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Names the request in the log of the service. */
  readonly requestId: string;
  /** In how many seconds to try again. */
  readonly retryAfter?: number;
  /** The platform's own code, or `N/A`. */
  readonly platformCode?: string;
  readonly platformStatus?: number;
  readonly iserverCode?: string;
  readonly iserverMessage?: string;
  /** What the support of the platform asks for. */
  readonly ticketId?: string;
  /** With `AMBIGUOUS_NAME`: the ids of the projects that share the name, at most ten. */
  readonly ids?: readonly string[];
}

/** One error of an answer. */
export interface PorticoError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: PorticoErrorExtensions;
}

/** Whether a value is an error of this API. A reason that a newer service has is let through. */
export function isPorticoError(value: unknown): value is PorticoError {
  const { message, extensions } = fieldsOf(value);
  const { code, retryable } = fieldsOf(extensions);
  return (
    typeof message === 'string' &&
    typeof code === 'string' &&
    Object.hasOwn(REASONS_OF_CODES, code) &&
    typeof retryable === 'boolean'
  );
}

/**
 * The errors of this API in an answer, or in what a GraphQL client throws: `errors` (Apollo Client, a plain answer),
 * `graphQLErrors` (urql), `response.errors` (graphql-request), `source.errors` (Relay). None where it is something
 * else.
 */
export function porticoErrors(thrown: unknown): PorticoError[] {
  const { errors, graphQLErrors, response, source } = fieldsOf(thrown);
  return [thrown, errors, graphQLErrors, fieldsOf(response).errors, fieldsOf(source).errors]
    .flat()
    .filter(isPorticoError);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
