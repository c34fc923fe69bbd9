import { isIP, SocketAddress } from 'node:net';
import { UnclearHeaderError } from './host.js';

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
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - before.length - after.length)).fill('0');
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
