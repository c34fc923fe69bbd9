import { isIP, SocketAddress } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;
/** `[IPv6]`, `[IPv6]:port` or `IPv4:port`. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/;
const IPV6_GROUPS = 8;
/** A caller with one IPv6 address usually has its whole /64. */
const NETWORK_GROUPS = 4;

/** Where a request comes from, in one spelling. */
export interface CallerAddress {
  /** IPv4 in four decimal parts, even if it was sent mapped to IPv6; IPv6 in its shortest form without a zone. */
  readonly address: string;
  /** What counts as one caller: the IPv4 address, or the first 64 bits of an IPv6 address. */
  readonly network: string;
}

/**
 * Reads the address of a caller. A proxy may have added the port.
 *
 * @throws UnclearHeaderError for anything else: a trusted proxy named the caller with something that is not an
 * address.
 */
export function callerAddress(text: string): CallerAddress {
  const [, inBrackets, beforePort] = WITH_PORT.exec(text) ?? [];
  const bare = (inBrackets ?? beforePort ?? text).split('%', 1)[0] ?? '';
  const family = isIP(bare);
  if (family === 0) throw new UnclearHeaderError('X-Forwarded-For does not name an address');
  if (family === 4) return { address: bare, network: bare };
  const { address: short } = new SocketAddress({ address: bare, family: 'ipv6' });
  const mapped = MAPPED_IPV4.exec(short)?.[1];
  if (mapped !== undefined) return { address: mapped, network: mapped };
  return { address: short, network: network(short) };
}

function network(address: string): string {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined ? [] : tail.split(':');
  const zeros = Array<string>(IPV6_GROUPS - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** Names of networks, as Fastify has them. */
const NAMED = new Map([
  ['loopback', ['loopback']],
  ['private', ['uniquelocal', 'linklocal']],
]);

/** The proxies whose headers are trusted, in the form that Fastify expects; none if the list is empty. */
export function trustedProxies(proxies: readonly string[]): false | string[] {
  return proxies.length === 0 ? false : proxies.flatMap((proxy) => NAMED.get(proxy) ?? [proxy]);
}

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
