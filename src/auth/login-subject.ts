import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const IPV6_GROUPS = 8;
/** Whoever has one IPv6 address has all of its /64. */
const NETWORK_GROUPS = 4;

/**
 * The key under which an account's failures are counted: a hash, so that no store of counters lists user names. Names that
 * differ in case, width or outer space count as one, since a platform may take them for one.
 */
export function accountKey(username: string): string {
  const name = username.normalize('NFKC').trim().toLowerCase();
  return `account:${createHash('sha256').update(name).digest('hex')}`;
}

/** The key under which an address's failures are counted. */
export function addressKey(address: string): string {
  const plain = MAPPED_IPV4.exec(address)?.[1] ?? address;
  return `address:${isIPv6(plain) ? network(plain) : plain}`;
}

function network(address: string): string {
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after]
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
