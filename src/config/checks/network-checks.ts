import { isIP } from 'node:net';

const ADDRESS_BITS = new Map([
  [4, 32],
  [6, 128],
]);

/** An address, a network `address/bits`, `loopback` or `private`. */
export function isProxy(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  if (value === 'loopback' || value === 'private') return true;
  const [address = '', bits, ...more] = value.split('/');
  const most = ADDRESS_BITS.get(isIP(address));
  if (most === undefined || address.includes('%') || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= most);
}

/** A host name or address in the form in which a URL holds it, without a port. */
export function isHostName(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    URL.canParse(`http://${value}/`) &&
    new URL(`http://${value}/`).hostname === value
  );
}

/** The name of an HTTP header. */
export function isHeaderName(value: unknown): boolean {
  return typeof value === 'string' && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value);
}
