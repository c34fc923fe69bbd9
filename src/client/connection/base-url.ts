import { InvalidRequestError } from '../errors/error-classes.js';

/**
 * Reads the REST root, with or without its final `/`.
 * @throws TypeError when it is not an absolute http or https URL, or has user information, a query or a fragment
 */
export function readBaseUrl(given: string | URL): URL {
  const text: unknown = given instanceof URL ? given.href : given;
  if (typeof text !== 'string') throw new TypeError('baseUrl: a text or a URL object is needed.');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TypeError('baseUrl: an absolute http or https URL is needed.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('baseUrl: user information does not belong in the base URL.');
  }
  if (/[?#]/.test(text)) throw new TypeError('baseUrl: a query or fragment does not belong in the base URL.');
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** Path of a URL below the base, without a leading `/` and without query. */
export function pathBelow(base: URL, url: URL): string {
  return url.pathname.slice(base.pathname.length);
}

/** Whether a path below the base leads to logins, delegations and logouts. */
export function isAuthPath(path: string): boolean {
  return /^\/*auth\//.test(path);
}

/**
 * The URL of a path below the base, whether or not the path begins with `/`. A whole URL is taken only when it lies
 * below the base.
 * @throws InvalidRequestError when the result would lie outside the base, so that no token leaves it
 */
export function resolveBelow(base: URL, path: string): URL {
  if (typeof path !== 'string') throw new InvalidRequestError('The path of a request must be a text.');
  const whole = path.startsWith(base.href);
  const target = whole ? path : base.href + path.replace(/^\//, '');
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const isForeign = !whole && /^(?:[a-z][a-z\d+.-]*:|\/\/|\\)/i.test(path);
  if (url === undefined || isForeign || !url.href.startsWith(base.href)) {
    throw new InvalidRequestError('The path of a request must lie below the base URL.');
  }
  url.hash = '';
  return url;
}
