import { InvalidRequestError } from '../../errors/error-classes.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** HTTP methods that a request may have. */
export type RequestMethod = (typeof METHODS)[number];

/** Options that every operation accepts. */
export interface CallOptions {
  /** Aborts the call, which then rejects with `ExecutionCancelledError`. */
  signal?: AbortSignal | null | undefined;
  /**
   * Who the call is made for, in a program that serves many users: network, account and session, from coarse to fine. At each
   * level they share the sockets, and an account has one vote on whether the platform fails. Default: the session alone.
   */
  party?: readonly string[] | undefined;
  /**
   * Called when a response turns out to be large: before the rest of it is read, and again before it is parsed, which may take
   * many milliseconds. The call continues when the promise resolves, and its deadline counts.
   */
  onLarge?: (() => Promise<void>) | undefined;
}

/** Options of one request (spec: Client session operations, request). */
export interface RequestOptions extends CallOptions {
  /** Whether the token is sent; unless false, there must be one. Default true. */
  includeAuth?: boolean | undefined;
  /** Sent as `X-<vendor>-ProjectID` with this call only. */
  projectId?: string | null | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Additional request headers; those that the client sets itself are rejected. */
  headers?: Readonly<Record<string, string>> | null | undefined;
}

/** @throws InvalidRequestError when it is not one of the methods */
export function requireMethod(given: unknown): RequestMethod {
  const method = METHODS.find((known) => known === given);
  if (method !== undefined) return method;
  throw new InvalidRequestError(`The method of a request must be one of ${METHODS.join(', ')}.`);
}

/**
 * Options as JavaScript may pass them; null means absent.
 * @throws InvalidRequestError when they are not an object, or the signal is not an AbortSignal
 */
export function requireOptions<T extends CallOptions>(given: T | null | undefined): Partial<T> {
  const options: unknown = given ?? {};
  if (typeof options !== 'object') throw new InvalidRequestError('The options of a call must be an object.');
  const { signal, party } = options as { signal?: unknown; party?: unknown };
  if (signal !== undefined && signal !== null && !isAbortSignal(signal)) {
    throw new InvalidRequestError('The signal of a call must be an AbortSignal.');
  }
  if (party !== undefined && !isParty(party)) {
    throw new InvalidRequestError('The party of a call must be an array of strings.');
  }
  return options as Partial<T>;
}

function isParty(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string');
}

/** Checked by its members, because a signal of another realm is not an instance of this realm's class. */
function isAbortSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { aborted, addEventListener, removeEventListener } = value as Record<string, unknown>;
  return (
    typeof aborted === 'boolean' &&
    typeof addEventListener === 'function' &&
    typeof removeEventListener === 'function'
  );
}
