import { describe, expect, it } from 'vitest';
import { mayMutate, originRefusal, type RequestOrigin } from '../../src/http/caller-context.js';

const ALLOWED = ['https://good.example', 'https://other.example:8443'];

function ask(request: Partial<RequestOrigin>): boolean {
  const nothing = {
    withCookie: false,
    transport: undefined,
    self: 'http://portico.example:3000',
    origin: undefined,
    fetchSite: undefined,
  };
  return mayMutate({ ...nothing, ...request }, ALLOWED);
}

describe('a mutation', () => {
  it.each<[string, Partial<RequestOrigin>]>([
    ['no browser, without a handle', {}],
    ['whoever holds a bearer handle', { transport: 'bearer' }],
    [
      'whoever holds a bearer handle, from any page',
      { transport: 'bearer', origin: 'https://any.example', fetchSite: 'cross-site' },
    ],
    ['an allowed origin', { origin: 'https://good.example', fetchSite: 'cross-site' }],
    [
      'an allowed origin with a port, by cookie',
      { origin: 'https://other.example:8443', withCookie: true, transport: 'cookie' },
    ],
    [
      'the service’s own page, by cookie',
      { fetchSite: 'same-origin', withCookie: true, transport: 'cookie' },
    ],
    [
      'the service’s own page in a browser that tells its origin only, by cookie',
      { origin: 'http://portico.example:3000', withCookie: true, transport: 'cookie' },
    ],
  ])('may come from %s', (_from, request) => {
    expect(ask(request)).toBe(true);
  });

  it.each<[string, Partial<RequestOrigin>]>([
    ['a cookie and nothing that tells the page', { withCookie: true, transport: 'cookie' }],
    ['a cookie that opens nothing', { withCookie: true }],
    ['no origin of its own', { origin: 'null' }],
    ['an origin that begins like an allowed one', { origin: 'https://good.example.evil.com' }],
    ['an origin that ends like an allowed one', { origin: 'https://evil-good.example' }],
    ['another scheme', { origin: 'http://good.example' }],
    ['another port', { origin: 'https://good.example:444' }],
    ['another spelling', { origin: 'HTTPS://GOOD.EXAMPLE' }],
    ['the own host under another scheme', { origin: 'https://portico.example:3000', withCookie: true }],
    ['the own host under another port', { origin: 'http://portico.example', withCookie: true }],
    [
      'the own origin, when the browser says otherwise',
      { origin: 'http://portico.example:3000', fetchSite: 'cross-site' },
    ],
    ['two origins', { origin: 'https://good.example,https://evil.example' }],
    ['a sibling of this host', { fetchSite: 'same-site', withCookie: true }],
    ['another site, without a cookie', { fetchSite: 'cross-site' }],
    ['the address line', { fetchSite: 'none', withCookie: true }],
  ])('may not come from %s', (_from, request) => {
    expect(ask(request)).toBe(false);
  });
});

describe('the refusal of a mutation by cookie', () => {
  const refusal = (self: string, origin: string): string | undefined => {
    const request = { withCookie: true, transport: 'cookie' as const, self, origin, fetchSite: undefined };
    const sessionCookie = { name: 'portico', secure: false };
    return originRefusal({ origin: request, sessionCookie }, ALLOWED, true)?.message;
  };

  it('names X-Forwarded-Proto where the scheme is lost behind a proxy', () => {
    expect(refusal('http://portico.example', 'https://portico.example')).toMatch(/X-Forwarded-Proto/);
  });

  it('names Host where the port is lost behind a proxy', () => {
    const message = refusal('https://portico.example', 'https://portico.example:8443');
    expect(message).toMatch(/must pass Host, or X-Forwarded-Host, with the port$/);
  });

  it.each(['https://evil.example', 'null'])('names no header to a page of %s', (origin) => {
    expect(refusal('https://portico.example', origin)).toMatch(/or use a bearer handle$/);
  });
});
