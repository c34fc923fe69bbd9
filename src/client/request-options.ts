import { InvalidRequestError } from './platform-error-kinds.js';
import type { RequestLine } from './redirects.js';
import { ACCEPTED_ENCODINGS } from './transport/read-body.js';
import { isFieldValue, type VendorHeaders } from './vendor-headers.js';

/** HTTP methods that a request may have. */
export type RequestMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What any operation takes besides its own arguments. */
export interface CallOptions {
  /** Aborts the call, which then ends with `ExecutionCancelledError`. */
  signal?: AbortSignal | undefined;
}

/** How one request differs from a plain one (spec: Client session operations, request). */
export interface RequestOptions extends CallOptions {
  /** Whether the token is sent. Default true. */
  includeAuth?: boolean | undefined;
  /** Sent as `X-<vendor>-ProjectID` with this call only. */
  projectId?: string | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Further request headers; those that the client sets itself are refused. */
  headers?: Readonly<Record<string, string>> | undefined;
}

const OWN_HEADERS: ReadonlySet<string> = new Set([
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
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/**
 * The fixed headers of a call; the cookies of each hop are added to them.
 * @throws InvalidRequestError when a project id or header cannot be sent
 */
export function requestHeaders(
  options: RequestOptions,
  token: string | undefined,
  names: VendorHeaders,
): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'portico' };
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    headers[ownName(name, names)] = ownValue(value);
  }
  headers['accept-encoding'] = ACCEPTED_ENCODINGS;
  if (options.projectId !== undefined) {
    if (!isFieldValue(options.projectId)) throw new InvalidRequestError('The project id is malformed.');
    headers[names.projectId] = options.projectId;
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

function ownName(name: string, names: VendorHeaders): string {
  const field = name.toLowerCase();
  const isReserved = [names.authToken, names.projectId].some((reserved) => reserved.toLowerCase() === field);
  if (!/^[\w!#$%&'*+.^`|~-]{1,256}$/.test(field) || OWN_HEADERS.has(field) || isReserved) {
    throw new InvalidRequestError('A further request header has a name that cannot be used.');
  }
  return field;
}

function ownValue(value: string): string {
  if (/^[\x20-\x7E]{0,4096}$/.test(value)) return value;
  throw new InvalidRequestError('A further request header has a value that cannot be sent.');
}
