import { InvalidRequestError } from '../../errors/error-classes.js';
import { type RequestLine } from '../connection/redirects.js';
import { type RequestOptions } from './request-options.js';
import { ACCEPTED_ENCODINGS } from '../transport/read-body.js';
import { isFieldValue, type VendorHeaders } from '../connection/vendor-headers.js';

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
