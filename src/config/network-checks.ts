import { BlockList, isIP } from 'node:net';

const ADDRESS_BITS = new Map([
  [4, 32],
  [6, 128],
]);

const MAPPED_IPV4 = /^(?:::|(?:0{1,4}:){5})ffff:/i;
const MAPPED_BITS = 96;
const HOST_NAME = /^(?:\[[0-9a-f:.]+\]|[a-z0-9][a-z0-9._-]*)$/;
/** A name, not a number that some readers take for an address. */
const LISTEN_NAME = /^(?=.*[a-z])[a-z0-9][a-z0-9._-]*$/i;

/** An address, a network `address/bits`, `loopback` or `private`. */
export function isProxy(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  if (value === 'loopback' || value === 'private') return true;
  const [address = '', bits, ...more] = value.split('/');
  const most = ADDRESS_BITS.get(isIP(address));
  if (most === undefined || address.includes('%') || more.length > 0) return false;
  if (bits === undefined) return true;
  // With fewer bits, a network of IPv4 addresses that are mapped to IPv6 contains none.
  const least = MAPPED_IPV4.test(address) ? MAPPED_BITS : 1;
  return /^[1-9]\d{0,2}$/.test(bits) && Number(bits) >= least && Number(bits) <= most;
}

/** A host name or address in the form that a URL uses, without a port, and one that a request can be for. */
export function isHostName(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    HOST_NAME.test(value) &&
    URL.canParse(`http://${value}/`) &&
    new URL(`http://${value}/`).hostname === value
  );
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** `localhost`, or an address of this machine that no other machine reaches, in brackets or not. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1').replace(/%.*/, '');
  const version = isIP(address);
  if (version === 0) return address.toLowerCase() === 'localhost';
  return version === 4 ? address.startsWith('127.') : LOOPBACK.check(address, 'ipv6');
}

/** What a server can listen on: an address, with a zone if it is IPv6, or the name of one; no port. */
export function isListenAddress(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    (isIP(value) !== 0 || (LISTEN_NAME.test(value) && isHostName(value.toLowerCase())))
  );
}

/** Headers as `name=value,name=value`, the form that OpenTelemetry uses. */
export function isHeaderList(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.split(',').every((entry) => {
      const [name = '', ...rest] = entry.split('=');
      const text = rest.join('=').trim();
      return isHeaderName(name.trim()) && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);
    })
  );
}

/** The name of an HTTP header. */
export function isHeaderName(value: unknown): boolean {
  return typeof value === 'string' && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value);
}

/** Headers whose meaning is fixed by HTTP, browsers, proxies, tracers, GraphQL clients or the service itself. */
const TAKEN = new RegExp(
  `^(?:${[
    'accept(?:-.+)?',
    'access-control-.+',
    'age',
    'allow',
    'alt-svc',
    'alt-used',
    'apollo.*',
    'authentication-info',
    'b3',
    'baggage',
    'cache-control',
    'cf-.+',
    'client-ip',
    'connection',
    'content-.+',
    'cookie2?',
    'date',
    'depth',
    'destination',
    'dnt',
    'early-data',
    'etag',
    'expect',
    'expires',
    'fastly-.+',
    'fly-.+',
    'forwarded',
    'from',
    'graphql-.+',
    'host',
    'http2-settings',
    'if-.+',
    'keep-alive',
    'last-event-id',
    'last-modified',
    'link',
    'location',
    'max-forwards',
    'origin',
    'overwrite',
    'pragma',
    'prefer',
    'priority',
    'proxy(?:-.+)?',
    'range',
    'referer',
    'save-data',
    'sec-.+',
    'server-timing',
    'service-worker(?:-.+)?',
    'set-cookie2?',
    'te',
    'timeout',
    'trace(?:parent|state)',
    'trailer',
    'transfer-encoding',
    'true-client-ip',
    'uber-trace-id',
    'upgrade(?:-.+)?',
    'user-agent',
    'vary',
    'via',
    'warning',
    'www-authenticate',
    'x-amzn-.+',
    'x-apollo-.+',
    'x-appengine-.+',
    'x-azure-.+',
    'x-b3-.+',
    'x-client-ip',
    'x-cloud-trace-context',
    'x-cluster-client-ip',
    'x-correlation-id',
    'x-csrf-token',
    'x-datadog-.+',
    'x-envoy-.+',
    'x-federation-secret',
    'x-forwarded(?:-.+)?',
    'x-graphql-.+',
    'x-http-method(?:-override)?',
    'x-method-override',
    'x-original-.+',
    'x-real-ip',
    'x-request-.+',
    'x-requested-with',
    'x-rewrite-url',
  ].join('|')})$`,
  'i',
);

/**
 * Whether a request header is used for something else, so that a handle in it would break that, or be lost or
 * logged.
 */
export function hasOtherMeaning(header: string): boolean {
  return TAKEN.test(header);
}
