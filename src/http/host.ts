/**
 * A header that can be read in more than one way, or in none. Its message is for the caller: it names
 * the header and quotes nothing. Fastify answers with the status.
 */
export class UnclearHeaderError extends Error {
  override readonly name = 'UnclearHeaderError';
  readonly statusCode = 400;
}

/** The service as the caller names it. */
export interface ServiceName {
  readonly protocol: 'http' | 'https';
  /** Lower case, without the port. */
  readonly hostname: string;
  /** The origin of the service's own pages: scheme, host, and port unless it is the default one. */
  readonly origin: string;
}

/** A name, an IPv4 address or an IPv6 address in brackets, and a port; no user, path, or escape. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*))(?::\d{1,5})?$/;
/** Paths that need no parser: it would take longer than everything else that is read of most requests. */
const PLAIN_PATH = /^(?:\/[a-z0-9-]+)+$/;
/** The form in which clients ask a proxy; servers have to take it too (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\//i;

/** The service as the last request named it: usually the next one names it in the same way. */
let last: { readonly host: string; readonly protocol: string; readonly name: ServiceName } | undefined;

/**
 * Reads host and scheme, from the request or from a trusted proxy.
 *
 * @throws UnclearHeaderError
 */
export function serviceName(host: string, protocol: string): ServiceName {
  if (last?.host !== host || last.protocol !== protocol) {
    last = { host, protocol, name: readServiceName(host, protocol) };
  }
  return last.name;
}

function readServiceName(host: string, protocol: string): ServiceName {
  const lower = host.toLowerCase();
  if (protocol !== 'http' && protocol !== 'https') {
    throw new UnclearHeaderError('X-Forwarded-Proto is neither http nor https');
  }
  const url = `${protocol}://${lower}`;
  if (!HOST.test(lower) || !URL.canParse(url)) throw noHost();
  const { hostname, origin } = new URL(url);
  // Some spellings of numbers are addresses to some readers and names to others.
  if (!lower.startsWith('[') && lower.replace(/:\d+$/, '') !== hostname) throw noHost();
  return { protocol, hostname, origin };
}

function noHost(): UnclearHeaderError {
  return new UnclearHeaderError('The request has no valid Host');
}

/**
 * Checks the target of a request, which may name a host besides the one in `Host`. Some readers take one and some the
 * other, so both have to be the same. A fragment is for browsers: a reader that knows none takes it for a part of the
 * path.
 *
 * @param host as it came in the request.
 * @throws UnclearHeaderError
 */
export function requireOneTarget(target: string, host: string): void {
  if (PLAIN_PATH.test(target)) return;
  // Later code makes a URL of it.
  if (target.includes('#') || !URL.canParse(target, 'http://host.invalid')) {
    throw new UnclearHeaderError('The URL of the request cannot be read');
  }
  if (!ABSOLUTE.test(target)) return;
  const { protocol, origin, username, password } = new URL(target);
  if (URL.parse(`${protocol}//${host}`)?.origin !== origin || username !== '' || password !== '') {
    throw new UnclearHeaderError('The URL of the request names another host than its Host header');
  }
}
