import { InvalidRequestError } from '../../errors/error-classes.js';
import { resolveBelow } from '../connection/paths.js';
import { type RequestLine } from '../connection/redirects.js';
import { callerFields, type HeadersInit, isFieldValue, type VendorHeaders } from '../connection/headers.js';
import { MAX_TIMEOUT_MS } from '../connection/client-options.js';
import { unknownName } from '../../errors/unknown-name.js';
import { type RequestBody } from '../transport/transport.js';
import { jsonBody, type SendableBody, standardBody } from './request-body.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * HTTP methods that a request may have.
 * @example
 * const method: RequestMethod = 'GET';
 * await session.request(method, 'reports');
 */
export type RequestMethod = (typeof METHODS)[number];

/**
 * Options that every operation accepts.
 * @example
 * const options: CallOptions = { signal: AbortSignal.timeout(2000), timeoutMs: 1000 };
 * await session.getProjects(options);
 */
export interface CallOptions {
  /** Aborts the call, which then rejects with `ExecutionCancelledError`; its `cause` is the reason of the signal. */
  signal?: AbortSignal | null | undefined;
  /** Milliseconds that the platform has for this call, from when it has a connection. Default: the client's. */
  timeoutMs?: number | undefined;
  /** Milliseconds that this call may wait for a connection. Default: the client's. */
  queueTimeoutMs?: number | undefined;
  /** Maximum decoded bytes of the response. Default: the client's. */
  maxResponseBytes?: number | undefined;
  /**
   * Who the call is made for, in a program that serves many users: network, account and session, from coarse to fine.
   * At each level they share the sockets, and an account has one vote on whether the platform fails. Default: the
   * session alone.
   */
  party?: readonly string[] | undefined;
  /**
   * Called when a response turns out to be large: before the rest of it is read, and again before it is parsed, which
   * may take many milliseconds. The call continues when the promise resolves; the wait counts as for a connection.
   */
  onLarge?: (() => Promise<void>) | undefined;
}

/**
 * What a query can be made of. `null` and `undefined` are left out, and a list repeats its name.
 * @example
 * const query: Record<string, QueryValue> = { limit: 10, all: true, name: undefined };
 * await session.request('GET', 'reports', { query });
 */
export type QueryValue = string | number | boolean | null | undefined;

/**
 * Options of one request (spec: Client session operations, request).
 * @example
 * const options: RequestOptions = { pathParams: { id: 'R1' }, query: { limit: 2 } };
 * const response = await session.request('GET', 'reports/{id}', options);
 * console.log(response.json<{ id: string }>().id); // R1
 */
export interface RequestOptions extends CallOptions {
  /** Whether the token is sent; unless false, there must be one. Default true. */
  includeAuth?: boolean | undefined;
  /** Sent as `X-<vendor>-ProjectID` with this call only. */
  projectId?: string | null | undefined;
  /** Sent by the rules of `fetch`; a plain object or array is sent as JSON. A stream is never sent twice. */
  body?: SendableBody | null | undefined;
  /** Additional request headers; those that the client sets itself are rejected. */
  headers?: HeadersInit | null | undefined;
  /** Appended to the path. */
  query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>> | URLSearchParams | null | undefined;
  /** Put, encoded, in place of each `{name}` in the path. */
  pathParams?: Readonly<Record<string, string | number>> | null | undefined;
  /** Statuses that are not errors: a list, or a function. Default: 2xx. */
  acceptStatus?: readonly number[] | ((status: number) => boolean) | null | undefined;
}

/** @throws InvalidRequestError when it is not one of the methods */
export function requireMethod(given: unknown): RequestMethod {
  if ((METHODS as readonly unknown[]).includes(given)) return given as RequestMethod;
  throw new InvalidRequestError(`The method of a request must be one of ${METHODS.join(', ')}.`);
}

/** The type makes this list complete. */
const CALL_OPTIONS: Record<keyof CallOptions, true> = {
  signal: true,
  timeoutMs: true,
  queueTimeoutMs: true,
  maxResponseBytes: true,
  party: true,
  onLarge: true,
};

const REQUEST_OPTIONS: Record<keyof RequestOptions, true> = {
  ...CALL_OPTIONS,
  includeAuth: true,
  projectId: true,
  body: true,
  headers: true,
  query: true,
  pathParams: true,
  acceptStatus: true,
};

/**
 * Options of an operation, as JavaScript may pass them; null means absent.
 * @throws InvalidRequestError when they are not an object, one is unknown, or one has an unusable value
 */
export function requireCallOptions(given: CallOptions | null | undefined): CallOptions {
  return requireOptions(given, CALL_OPTIONS);
}

/** The same for a request. */
export function requireRequestOptions(given: RequestOptions | null | undefined): RequestOptions {
  const options = requireOptions<RequestOptions>(given, REQUEST_OPTIONS);
  const { acceptStatus } = options as { acceptStatus?: unknown };
  const isUsable =
    (acceptStatus ?? undefined) === undefined ||
    typeof acceptStatus === 'function' ||
    (Array.isArray(acceptStatus) && acceptStatus.every((status) => Number.isInteger(status)));
  if (isUsable) return options;
  throw new InvalidRequestError('acceptStatus must be an array of statuses or a function.');
}

function requireOptions<T extends CallOptions>(given: T | null | undefined, known: object): T {
  if (given === undefined || given === null) return {} as T;
  if (typeof (given as unknown) !== 'object')
    throw new InvalidRequestError('The options of a call must be an object.');
  for (const name in given) {
    if (!Object.hasOwn(known, name) && given[name] !== undefined) {
      throw new InvalidRequestError(`Option ${name} of a call ${unknownName(name, Object.keys(known))}`);
    }
  }
  requireUsable(given);
  return given;
}

function requireUsable(options: CallOptions): void {
  const { signal, party, onLarge } = options as Record<keyof CallOptions, unknown>;
  if (signal !== undefined && signal !== null && !isAbortSignal(signal)) {
    throw new InvalidRequestError('The signal of a call must be an AbortSignal.');
  }
  if (party !== undefined && !isParty(party)) {
    throw new InvalidRequestError('The party of a call must be an array of strings.');
  }
  if (onLarge !== undefined && typeof onLarge !== 'function') {
    throw new InvalidRequestError('onLarge must be a function.');
  }
  for (const name of ['timeoutMs', 'queueTimeoutMs', 'maxResponseBytes'] as const) {
    const value = options[name] ?? 1;
    if (!Number.isInteger(value) || value < 1 || value > MAX_TIMEOUT_MS) {
      throw new InvalidRequestError(`${name} of a call must be an integer from 1 to ${MAX_TIMEOUT_MS}.`);
    }
  }
}

function isParty(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  for (const name of value as unknown[]) if (typeof name !== 'string') return false;
  return true;
}

/** Checked by its members, because a signal of another realm is not an instance of this realm's class. */
function isAbortSignal(value: unknown): boolean {
  const { aborted, addEventListener, removeEventListener } = value as Record<string, unknown>;
  return (
    typeof aborted === 'boolean' &&
    typeof addEventListener === 'function' &&
    typeof removeEventListener === 'function'
  );
}

/** One request, checked and ready to be sent, as often as it may be repeated. */
export interface SessionRequest {
  readonly line: RequestLine;
  /** The caller's own headers. */
  readonly fields: Readonly<Record<string, string>>;
  readonly projectId: string | undefined;
  readonly includeAuth: boolean;
  readonly options: CallOptions;
  /** Whether a status is a success. */
  readonly accepts: (status: number) => boolean;
  /** Redirects to follow; undefined for as many as the client allows, and -1 for none, even if there is one. */
  readonly maxRedirects?: number | undefined;
}

/**
 * A request of `PlatformSession.request`.
 * @throws InvalidRequestError when a part of it is unusable
 */
export function readRequest(
  base: URL,
  given: RequestMethod,
  path: string,
  options: RequestOptions,
  names: VendorHeaders,
): SessionRequest {
  const method = requireMethod(given);
  const { pathParams, query, headers, projectId, acceptStatus } = options;
  const url = resolveBelow(base, pathParams == null ? path : withPathParams(path, pathParams));
  if (query != null) appendQuery(url, query);
  const content = options.body ?? undefined;
  const body = content === undefined ? undefined : (standardBody(content) ?? jsonBody(content));
  return {
    line: { method, url, body: body && requireBodyAllowed(method, body) },
    fields: headers == null ? {} : callerFields(headers, names, body),
    projectId: projectId == null ? undefined : requireProjectId(projectId),
    includeAuth: options.includeAuth !== false,
    options,
    accepts:
      typeof acceptStatus === 'function'
        ? acceptStatus
        : (status) => (status >= 200 && status <= 299) || acceptStatus?.includes(status) === true,
  };
}

/** @throws InvalidRequestError when a method without a body has one */
export function requireBodyAllowed(method: string, body: RequestBody | undefined): RequestBody | undefined {
  if (body === undefined || (method !== 'GET' && method !== 'HEAD')) return body;
  throw new InvalidRequestError(`A ${method} request cannot have a body.`);
}

/** @throws InvalidRequestError when it cannot be sent in a header */
export function requireProjectId(projectId: unknown): string | undefined {
  if (projectId === undefined || isFieldValue(projectId)) return projectId;
  throw new InvalidRequestError('The project id is malformed.');
}

function withPathParams(path: string, params: NonNullable<RequestOptions['pathParams']>): string {
  if (typeof path !== 'string') return path;
  const unused = new Set(Object.keys(params));
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    unused.delete(name);
    return pathParam(name, Object.hasOwn(params, name) ? params[name] : undefined);
  });
  const [first] = unused;
  if (first !== undefined)
    throw new InvalidRequestError(`The path has no {${first}} for pathParams.${first}.`);
  return filled;
}

/** An empty one or one of dots would lead to another path. */
function pathParam(name: string, value: unknown): string {
  const text = Number.isFinite(value) ? String(value) : value;
  if (typeof text === 'string' && !/\p{Cs}|^\.{0,2}$/u.test(text)) return encodeURIComponent(text);
  throw new InvalidRequestError(`pathParams.${name} must be a number or a string that is not empty or dots.`);
}

function appendQuery(url: URL, query: NonNullable<RequestOptions['query']>): void {
  if (typeof (query as unknown) !== 'object') throw new InvalidRequestError('query must be an object.');
  const entries =
    query instanceof URLSearchParams
      ? [...query]
      : Object.entries(query).flatMap(([name, values]) =>
          [values].flat().map((value): [string, unknown] => [name, value]),
        );
  for (const [name, value] of entries) {
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new InvalidRequestError(
        `query.${name} must be a string, a number, a boolean, or a list of them.`,
      );
    }
    url.searchParams.append(name, String(value));
  }
}
