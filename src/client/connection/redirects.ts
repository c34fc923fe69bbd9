import { ForeignRedirectError, PlatformHttpError, TooManyRedirectsError } from '../errors/error-classes.js';
import { type PlatformResponse } from './response/platform-response.js';

/** One request as a redirect may rewrite it. */
export interface RequestLine {
  readonly method: string;
  readonly url: URL;
  readonly body?: string | undefined;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Sends and follows redirects within the origin only: token, cookies and body never leave it, nor https for http.
 * @param limit redirects followed at most (spec: Limits, 30)
 * @param onRedirect told of each redirect that is followed, before it is
 * @throws TooManyRedirectsError past the limit
 * @throws ForeignRedirectError when the target lies in another origin; it is not contacted
 */
export async function followRedirects(
  first: RequestLine,
  limit: number,
  send: (line: RequestLine) => Promise<PlatformResponse>,
  onRedirect: (response: PlatformResponse) => void,
): Promise<PlatformResponse> {
  let line = first;
  for (let followed = 0; ; followed += 1) {
    const response = await send(line);
    const location = REDIRECTS.has(response.status) ? response.headerValues('location')[0] : undefined;
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

function redirected(line: RequestLine, status: number, location: string): RequestLine {
  if (!URL.canParse(location, line.url.href)) {
    throw new PlatformHttpError('The platform redirected to something that is not a URL.', { status });
  }
  const url = new URL(location, line.url);
  if (url.origin !== line.url.origin || url.username !== '' || url.password !== '') {
    throw new ForeignRedirectError('The platform redirected to another origin; it was not followed.', {
      status,
    });
  }
  url.hash = '';
  return becomesGet(line.method, status) ? { method: 'GET', url } : { ...line, url };
}

/** As browsers do: 303 turns all but GET and HEAD into GET, 301 and 302 only POST. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return status < 303 && method === 'POST';
}
