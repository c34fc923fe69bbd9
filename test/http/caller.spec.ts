import { describe, expect, it } from 'vitest';
import { type Caller, callerReader } from '../../src/http/caller.js';
import { UnclearHeaderError } from '../../src/http/address.js';

type Headers = readonly (readonly [name: string, value: string])[];

/** Reads a request as Node and Fastify hand it over, by a proxy that is trusted. */
function read(headers: Headers, { ip = '192.0.2.1', sessionHeader = 'Authorization' } = {}): Caller {
  const byName: Record<string, string> = {};
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const before = byName[lower];
    // As Node joins them, except for those of which it keeps the first.
    if (before === undefined) byName[lower] = value;
    else if (!['host', 'authorization'].includes(lower)) byName[lower] = `${before}, ${value}`;
  }
  return callerReader({ sessionHeader, isRouter: () => false })({
    ip,
    host: byName['x-forwarded-host'] ?? byName.host ?? '',
    protocol: byName['x-forwarded-proto'] ?? 'http',
    headers: byName,
    raw: { rawHeaders: headers.flat() },
  });
}

const HOST = ['Host', 'graph.example'] as const;

describe('the caller of a request', () => {
  it('is read from each header that decides', () => {
    const caller = read([
      ['Host', 'Graph.Example:8443'],
      ['Origin', 'https://page.example'],
      ['Sec-Fetch-Site', 'same-site'],
      ['X-Forwarded-Proto', 'https'],
    ]);
    expect(caller).toMatchObject({
      address: '192.0.2.1',
      service: { protocol: 'https', hostname: 'graph.example', origin: 'https://graph.example:8443' },
      sessionCookie: { name: '__Host-portico', secure: true },
      origin: 'https://page.example',
      fetchSite: 'same-site',
      presented: undefined,
    });
  });

  it.each(['null', 'https://page.example:8443', 'http://[::1]:3000', 'capacitor://localhost'])(
    'may have the origin %s',
    (origin) => {
      expect(read([HOST, ['Origin', origin]]).origin).toBe(origin);
    },
  );

  it.each(['localhost:3000', 'a_b.internal', '127.0.0.1', '[::1]:80', '[0:0::1]', 'localhost.'])(
    'may call the host %s',
    (host) => {
      expect(read([['Host', host]]).service.origin).toMatch(/^http:\/\//);
    },
  );

  it.each(['', 'a/b', 'u@a', 'a b', 'a?b', 'a#b', 'a\\b', 'a,b', '%61', 'a:b', 'a:99999', '[::1', '[::1]a'])(
    'may not call the host %j',
    (host) => {
      expect(() => read([['Host', host]])).toThrow('The request has no valid Host');
    },
  );

  it.each(['0x7f.1', '127.1', '2130706433', '017700000001'])(
    'may not call the host %s, which is an address to some and a name to others',
    (host) => {
      expect(() => read([['Host', host]])).toThrow('The request has no valid Host');
    },
  );

  it.each<[string, Headers]>([
    ['a second Host', [HOST, HOST]],
    ['a second Host of another case', [HOST, ['host', 'other.example']]],
    ['a second Authorization', [HOST, ['Authorization', 'Bearer a'], ['authorization', 'Bearer b']]],
    ['a second Origin', [HOST, ['Origin', 'https://a.example'], ['Origin', 'https://b.example']]],
    ['a list of origins', [HOST, ['Origin', 'https://a.example https://b.example']]],
    ['a second Sec-Fetch-Site', [HOST, ['Sec-Fetch-Site', 'same-origin'], ['Sec-Fetch-Site', 'none']]],
    ['a second Content-Type', [HOST, ['Content-Type', 'application/json'], ['content-type', 'text/plain']]],
    ['two forwarded hosts', [HOST, ['X-Forwarded-Host', 'a.example, b.example']]],
    ['two forwarded schemes', [HOST, ['X-Forwarded-Proto', 'https'], ['X-Forwarded-Proto', 'http']]],
    ['a scheme that is none', [HOST, ['X-Forwarded-Proto', 'ftp']]],
  ])('is refused with %s', (_case, headers) => {
    expect(() => read(headers)).toThrow(UnclearHeaderError);
  });

  it('is refused with a second session header, under whatever name', () => {
    const twice: Headers = [HOST, ['X-Portico-Session', 'Bearer a'], ['x-portico-session', 'Bearer a']];
    expect(() => read(twice, { sessionHeader: 'x-portico-session' })).toThrow(
      'The request has more than one x-portico-session header',
    );
  });

  it.each([
    ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:50123', '192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:443', '192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', '2001:db8:0:0::/64'],
    ['[2001:db8::2]:443', '2001:db8::2', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80::1', 'fe80:0:0:0::/64'],
    ['::1', '::1', '0:0:0:0::/64'],
    ['2001:db8::', '2001:db8::', '2001:db8:0:0::/64'],
    ['2001::5:6:7:8:9', '2001::5:6:7:8:9', '2001:0:0:5::/64'],
    ['::3:4:5:6:7:8', '::3:4:5:6:7:8', '0:0:3:4::/64'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
  ])('has with the address %s the one spelling %s and the network %s', (ip, address, network) => {
    expect(read([HOST], { ip })).toMatchObject({ address, network });
  });

  it.each(['unknown', '', '192.0.2', '192.0.2.1.1', '_hidden', '192.0.2.1 '])(
    'is refused with the address %j',
    (ip) => {
      expect(() => read([HOST], { ip })).toThrow('X-Forwarded-For does not name an address');
    },
  );
});
