import { BlockList, isIP } from 'node:net';

/** The HTTP proxy between the client and the platform. */
export interface Proxy {
  /** With user name and password, if it wants them. */
  readonly url: string;
  /** Whether a target is reached through it. */
  isFor(target: URL): boolean;
}

/**
 * Reads the proxy and the hosts that are reached without it.
 * @throws TypeError, which quotes nothing, when the URL is unusable
 */
export function readProxy(given: string | URL | undefined, noProxy: string): Proxy | undefined {
  if (given === undefined) return undefined;
  const text: unknown = given instanceof URL ? given.href : given;
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new TypeError('proxy: must be an http URL without path, query, or fragment.');
  }
  if (typeof (noProxy as unknown) !== 'string') throw new TypeError('noProxy: must be a string.');
  const exceptions = noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(exceptionOf);
  const known = new Map<string, boolean>();
  const isFor = (target: URL): boolean => {
    const host = bareHost(target.hostname);
    const port = target.port === '' ? DEFAULT_PORTS[target.protocol] : target.port;
    return !exceptions.some((matches) => matches(host, port));
  };
  return {
    url: url.href,
    isFor: (target) => {
      let answer = known.get(target.origin);
      if (answer === undefined) known.set(target.origin, (answer = isFor(target)));
      return answer;
    },
  };
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

type Exception = (host: string, port: string | undefined) => boolean;

/**
 * One entry of `NO_PROXY`, as most tools read it: `*` for everything; a host name, which includes the hosts below it,
 * with or without `.` or `*.` before it; an address; a range of addresses as `10.0.0.0/8`; each with or without
 * `:port`.
 */
function exceptionOf(entry: string): Exception {
  const [, bracketed, plain, onlyPort] = /^(?:\[(.+)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? [];
  const host = bareHost((bracketed ?? plain ?? entry).replace(/^\*?\./, ''));
  const range = rangeOf(host);
  return (target, port) =>
    (onlyPort === undefined || onlyPort === port) &&
    (host === '*' ||
      target === host ||
      (isIP(target) === 0 ? target.endsWith(`.${host}`) : range?.check(target, familyOf(target)) === true));
}

function rangeOf(host: string): BlockList | undefined {
  const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(host) ?? [];
  if (isIP(address) === 0 || Number(bits) > (isIP(address) === 4 ? 32 : 128)) return undefined;
  const range = new BlockList();
  range.addSubnet(address, Number(bits), familyOf(address));
  return range;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** Lowercase, without the brackets of IPv6 and the final dot of a full name. */
function bareHost(host: string): string {
  return host
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/(.)\.$/, '$1')
    .toLowerCase();
}
