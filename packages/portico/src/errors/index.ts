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

/**
 * What an error in an answer says besides its message.
 * @example
 * const wait = ({ retryAfter = 0 }: PorticoErrorExtensions): number => retryAfter * 1000;
 */
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

/**
 * One error of an answer.
 * @example
 * const show = ({ message, extensions }: PorticoError): string => `${message} (${extensions.requestId})`;
 */
export interface PorticoError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: PorticoErrorExtensions;
}

/**
 * Whether a value is an error of this API. A reason that a newer service has is let through.
 * @param value anything
 * @example
 * const extensions = { code: 'NOT_FOUND', retryable: false, requestId: '1' };
 * console.log(isPorticoError({ message: 'No such project.', extensions })); // true
 */
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
 * @param thrown an answer, or what a GraphQL client throws
 * @example
 * const extensions = { code: 'NOT_FOUND', retryable: false, requestId: '1' };
 * console.log(porticoErrors({ errors: [{ message: 'No.', extensions }] }).length); // 1
 */
export function porticoErrors(thrown: unknown): PorticoError[] {
  const { errors, graphQLErrors, response, source } = fieldsOf(thrown);
  return [thrown, errors, graphQLErrors, fieldsOf(response).errors, fieldsOf(source).errors]
    .flat()
    .filter(isPorticoError);
}

/**
 * Whether a GraphQL client, or `fetch`, failed without an answer of any GraphQL service: the network is down, the
 * time is over, a proxy in between answered, or the browser did not let the page read the answer. False for an
 * answer, with or without errors, and for a request that the page itself aborted.
 * @param thrown what the client has thrown, or an answer
 * @example
 * console.log(isUnreachable(new TypeError('Failed to fetch'))); // true
 * console.log(isUnreachable({ data: { me: null } })); // false
 */
export function isUnreachable(thrown: unknown): boolean {
  const { message, name, networkError, errors, graphQLErrors, response, source } = fieldsOf(thrown);
  if (typeof message !== 'string' || [name, fieldsOf(networkError).name].includes('AbortError')) return false;
  const answered = [errors, graphQLErrors, fieldsOf(response).errors, fieldsOf(source).errors];
  return answered.every((list) => !Array.isArray(list) || list.length === 0);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
