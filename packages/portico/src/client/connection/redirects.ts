import {
  ForeignRedirectError,
  PlatformHttpError,
  TooManyRedirectsError,
} from '../../errors/error-classes.js';
import { type PlatformResponse } from './platform-response.js';
import { type ResponseHeaders } from './headers.js';
import { type RequestBody } from '../transport/transport.js';

/** The parts of a request that a redirect may change. */
export interface RequestLine {
  readonly method: string;
  readonly url: URL;
  readonly body?: RequestBody | undefined;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a request and follows redirects, within the origin only: token, cookies and body never leave it and never go
 * down to http.
 * @param limit maximum number of redirects (spec: Limits, 30)
 * @param onRedirect called with each redirect before it is followed
 * @throws TooManyRedirectsError beyond the limit
 * @throws ForeignRedirectError when the target is another origin, which is not contacted
 */
export async function followRedirects<R extends PlatformResponse>(
  first: RequestLine,
  limit: number,
  send: (line: RequestLine) => Promise<R>,
  onRedirect: (response: R) => void,
): Promise<R> {
  let line = first;
  for (let followed = 0; ; followed += 1) {
    const response = await send(line);
    if (response.status < 300) return response;
    const location = locationOf(response.status, response.headers);
    if (location === undefined) return response;
    if (followed === limit) {
      const message = `The platform redirected more than ${limit} times.`;
      throw new TooManyRedirectsError(message, { status: response.status });
    }
    const next = redirected(line, response.status, location);
    onRedirect(response);
    line = next;
  }
}

/**
 * Where a redirect leads to; undefined if it is none. Bytes beyond ASCII are escaped: libraries take each for a
 * character.
 */
export function locationOf(status: number, headers: ResponseHeaders): string | undefined {
  if (!REDIRECTS.has(status)) return undefined;
  const escaped = (byte: string): string => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
  return headers.valuesOf('location')[0]?.replace(/[\x80-\xFF]/g, escaped);
}

/** The host that a redirect leads to; undefined if the response is not a redirect. */
export function redirectHost(response: PlatformResponse): string | undefined {
  const location = locationOf(response.status, response.headers);
  return location !== undefined && URL.canParse(location, response.url)
    ? new URL(location, response.url).host
    : undefined;
}

function redirected(line: RequestLine, status: number, location: string): RequestLine {
  if (!URL.canParse(location, line.url.href)) {
    throw new PlatformHttpError('The platform redirected to an invalid URL.', { status });
  }
  const url = new URL(location, line.url);
  if (url.origin !== line.url.origin || url.username !== '' || url.password !== '') {
    throw new ForeignRedirectError('The platform redirected to another origin; it was not followed.', {
      status,
      redirectHost: url.host,
    });
  }
  url.hash = '';
  if (becomesGet(line.method, status)) return { method: 'GET', url };
  if (line.body?.isRepeatable === false) {
    const message = 'The platform redirected a request whose body is a stream, which cannot be sent again.';
    throw new PlatformHttpError(message, { status });
  }
  return { ...line, url };
}

/** As in browsers, 303 turns every method except GET and HEAD into GET; 301 and 302 turn only POST. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return status < 303 && method === 'POST';
}
