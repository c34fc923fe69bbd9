import { InvalidRequestError } from '../../errors/error-classes.js';
import { resolveBelow } from '../connection/base-url.js';
import { type RequestLine } from '../connection/redirects.js';
import { ACCEPTED_ENCODINGS } from '../transport/read-body.js';
import { isFieldValue, type VendorHeaders } from '../connection/vendor-headers.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** HTTP methods that a request may have. */
export type RequestMethod = (typeof METHODS)[number];

/** Options that every operation accepts. */
export interface CallOptions {
  /** Aborts the call, which then rejects with `ExecutionCancelledError`. */
  signal?: AbortSignal | null | undefined;
  /**
   * Who the call is made for, in a program that serves many users: network, account and session, from coarse to fine.
   * At each level they share the sockets, and an account has one vote on whether the platform fails. Default: the
   * session alone.
   */
  party?: readonly string[] | undefined;
  /**
   * Called when a response turns out to be large: before the rest of it is read, and again before it is parsed, which
   * may take many milliseconds. The call continues when the promise resolves, and its deadline counts.
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
function requireMethod(given: unknown): RequestMethod {
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

/**
 * Method, URL and body of a call.
 * @throws InvalidRequestError when one of them is unusable
 */
export function requestLine(
  base: URL,
  given: RequestMethod,
  path: string,
  { body }: Pick<RequestOptions, 'body'>,
): RequestLine {
  const method = requireMethod(given);
  return { method, url: resolveBelow(base, path), body: jsonBody(method, body) };
}

function jsonBody(method: RequestMethod, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  if (method === 'GET' || method === 'HEAD')
    throw new InvalidRequestError(`A ${method} request cannot have a body.`);
  try {
    const text = JSON.stringify(body) as string | undefined;
    if (text !== undefined) return text;
  } catch {
    // A cycle or a bigint: reported below without the value.
  }
  throw new InvalidRequestError('The body of the request cannot be written as JSON.');
}

/** Headers that the client sets itself. */
const CLIENT_HEADERS: ReadonlySet<string> = new Set([
  ...[
    'accept-encoding',
    'connection',
    'content-length',
    'content-type',
    'cookie',
    'expect',
    'host',
    'keep-alive',
  ],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/**
 * The fixed headers of a call; the cookies of each hop are added to them.
 * @throws InvalidRequestError when a project id or header is unusable
 */
export function requestHeaders(
  options: RequestOptions,
  token: string | undefined,
  names: VendorHeaders,
): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'portico' };
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    headers[additionalName(name, names)] = additionalValue(value);
  }
  headers['accept-encoding'] = ACCEPTED_ENCODINGS;
  const projectId = options.projectId ?? undefined;
  if (projectId !== undefined) {
    if (!isFieldValue(projectId)) throw new InvalidRequestError('The project id is malformed.');
    headers[names.projectId] = projectId;
  }
  if (token !== undefined && options.includeAuth !== false) headers[names.authToken] = token;
  return headers;
}

/** The headers of one hop. */
export function hopHeaders(
  fixed: Readonly<Record<string, string>>,
  line: RequestLine,
  cookie: string,
): Record<string, string> {
  return {
    ...fixed,
    ...(line.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(cookie === '' ? {} : { cookie }),
  };
}

function additionalName(name: string, names: VendorHeaders): string {
  const field = name.toLowerCase();
  const isReserved = [names.authToken, names.projectId].some((reserved) => reserved.toLowerCase() === field);
  if (!/^[\w!#$%&'*+.^`|~-]{1,256}$/.test(field) || CLIENT_HEADERS.has(field) || isReserved) {
    throw new InvalidRequestError('An additional request header has an unusable name.');
  }
  return field;
}

function additionalValue(value: unknown): string {
  if (typeof value === 'string' && /^[\x20-\x7E]{0,4096}$/.test(value)) return value;
  throw new InvalidRequestError('An additional request header has an unusable value.');
}
