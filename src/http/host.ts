import { UnclearHeaderError } from './unclear-header-error.js';

/** A name, an IPv4 address or an IPv6 address in brackets, and a port; no user, path, or escape. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*))(?::\d{1,5})?$/;

/** The service as the caller names it. */
export interface ServiceName {
  readonly protocol: 'http' | 'https';
  /** Lower case, without the port. */
  readonly hostname: string;
  /** The origin of the service's own pages: scheme, host, and port unless it is the default one. */
  readonly origin: string;
}

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

/**
 * The one value of a forwarded header: all proxies that set it must agree.
 *
 * @throws UnclearHeaderError
 */
export function requireOneValue(name: string, header: string | string[] | undefined): void {
  if (header === undefined) return;
  const values = String(header)
    .split(',')
    .map((value) => value.trim());
  if (new Set(values).size > 1) throw new UnclearHeaderError(`${name} has more than one value`);
}

function noHost(): UnclearHeaderError {
  return new UnclearHeaderError('The request has no valid Host');
}
