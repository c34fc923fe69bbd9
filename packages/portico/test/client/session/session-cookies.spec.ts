import { describe, expect, it } from 'vitest';
import { type UnusableCookie } from '../../../src/client/index.js';
import { SessionCookies } from '../../../src/client/session/session-cookies.js';
import { openSession } from '../../support/client/logged-in.js';
import { startScriptedPlatform } from '../../support/embedded-platform/scripted-platform.js';

const HTTP = new URL('http://platform.example/Library/api/');
const HTTPS = new URL('https://platform.example/Library/api/');

function store(
  fields: readonly string[],
  base: URL,
): { cookies: SessionCookies; unusable: UnusableCookie[] } {
  const unusable: UnusableCookie[] = [];
  const cookies = new SessionCookies(() => 0);
  const onUnusable = (cookie: UnusableCookie): unknown => unusable.push(cookie);
  cookies.store(fields, { url: new URL('auth/login', base), base, onUnusable });
  return { cookies, unusable };
}

describe('cookies', () => {
  it('are sent with the longest path first, in whatever order they came, also after a restore', async () => {
    const paths = [
      'a=1; Path=/',
      'b=2; Path=/api',
      'c=3; Path=/api/sessions',
      'd=4; Path=/api',
      'e=5; Path=/',
    ];
    for (const order of [paths, paths.toReversed()]) {
      const platform = await startScriptedPlatform({
        'POST auth/login': {
          status: 204,
          headers: ['X-SVC-AuthToken', 'abc', ...order.flatMap((cookie) => ['Set-Cookie', cookie])],
        },
        'GET sessions': { status: 200, body: {} },
      });
      const session = openSession(platform.baseUrl);
      await session.login();
      const restored = openSession(platform.baseUrl);
      restored.updateFromJson(session.json());

      await session.getSessions();
      await restored.getSessions();

      const sent = platform.requests.slice(1).map(({ headers }) => headers.cookie);
      expect(sent).toEqual(['c=3; b=2; d=4; a=1; e=5', 'c=3; b=2; d=4; a=1; e=5']);
    }
  });

  it.each([
    ['s=1; Secure; Path=/', HTTP, 'secure'],
    ['s=1; Path=/other', HTTPS, 'path'],
    ['s=1; Path=/Library/apis', HTTPS, 'path'],
    ['s=1; Path=/library', HTTPS, 'path'],
    ['s=1; Domain=internal.example', HTTPS, 'domain'],
    ['s=1; Domain=sub.platform.example', HTTPS, 'domain'],
    ['s=1; Domain=mstr', new URL('http://mstr.intranet/api/'), 'domain'],
    ['s=1; Domain=co.uk', new URL('https://platform.co.uk/api/'), 'domain'],
    ['s=1; Domain=10.0.0.1', new URL('http://10.0.0.2/api/'), 'domain'],
    [`s=${'x'.repeat(5000)}; Path=/`, HTTPS, 'size'],
    [`s=${'x'.repeat(4096)}; Path=/`, HTTPS, 'size'],
    [`s=1; Path=/${'x'.repeat(20_000)}`, HTTPS, 'path'],
    ['s=1\u0001; Path=/', HTTPS, 'malformed'],
  ] as const)(
    'that no request would send are dropped, counted and reported: %s for %s',
    (field, base, problem) => {
      const { cookies, unusable } = store([field], base);

      expect(cookies.dropped).toBe(1);
      expect(cookies.headerFor(base)).toBe('');
      expect(unusable).toEqual([{ name: 's', problem }]);
    },
  );

  it.each([
    ['s=1; Secure; Path=/', HTTPS],
    ['s=1; Secure', new URL('http://127.0.0.1:8080/api/')],
    ['s=1; Path=/Library', HTTP],
    [`s=${'x'.repeat(4095)}; Path=/`, HTTP],
    ['s=1; Domain=platform.example', HTTP],
    ['s=1; Domain=.example', new URL('http://example/api/')],
    ['s=1; Path=/Library/api/projects', HTTP],
    ['s=1', HTTP],
    ['s=; Path=/other; Max-Age=0', HTTP],
  ])('that some request would send are not dropped: %s for %s', (field, base) => {
    const { cookies, unusable } = store([field], base);

    expect(cookies.dropped).toBe(0);
    expect(unusable).toEqual([]);
  });

  it.each([
    ['s=1', 'no name; Path=/', 'malformed'],
    ['s=1', '__Host-s=1; Path=/', 'malformed'],
    [Array.from({ length: 50 }, (_, index) => `c${index}=1`), 's=1', 'limit'],
    [[`a=${'x'.repeat(4000)}`, `b=${'x'.repeat(4000)}`], `s=${'x'.repeat(300)}`, 'limit'],
  ])('beyond what a session can hold are reported, and those held stay', (held, field, problem) => {
    const { cookies, unusable } = store([held, field].flat(), HTTPS);

    expect(unusable).toEqual([{ name: field.split(/[=;]/)[0], problem }]);
    expect(cookies.headerFor(new URL('auth/login', HTTPS)).split('; ')).toHaveLength([held].flat().length);
  });

  it.each([
    ['http://mstr/api/', 's=1; Domain=mstr; Path=/'],
    ['http://mstr/api/', 's=1; Domain=.MSTR; Path=/'],
    ['http://localhost:8080/api/', 's=1; Domain=localhost; Path=/'],
    ['http://10.1.2.3/api/', 's=1; Domain=10.1.2.3; Path=/'],
    ['http://[::1]:8080/api/', 's=1; Domain=[::1]; Path=/'],
    ['https://co.uk/api/', 's=1; Domain=co.uk; Path=/'],
    ['https://mstr.local/api/', 's=1; Domain=mstr.local; Path=/'],
    ['http://h/My%20Lib/api/', 's=1; Path=/My%20Lib'],
    ['http://h/caf%C3%A9/api/', 's=1; Path=/caf%C3%A9/'],
    ['http://h/a%2Fb/api/', 's=1; Path=/a%2Fb'],
    ['http://h/100%25/api/', 's=1; Path=/100%25'],
    ['http://h/My%20Lib/api/', 's=1'],
  ])('are sent to the host and path that set them, as they are on the wire: %s, %s', (place, field) => {
    const base = new URL(place);
    const { cookies, unusable } = store([field], base);
    const restored = new SessionCookies(() => 0);
    const areRestored = cookies.list().map((cookie) => restored.putWhole(cookie, base));

    expect(cookies.headerFor(new URL('auth/logout', base))).toBe('s=1');
    expect(restored.headerFor(new URL('auth/logout', base))).toBe('s=1');
    expect(areRestored).toEqual([true]);
    expect(unusable).toEqual([]);
  });

  it.each([
    ['http://h/My%20Lib/api/', 's=1; Path=/My Lib'],
    ['http://h/My%20Lib/api/', 's=1; Path=/My%2520Lib'],
    ['http://h/a%2Fb/api/', 's=1; Path=/a/b'],
  ])('for a path that is spelled otherwise on the wire are reported: %s, %s', (place, field) => {
    const { cookies, unusable } = store([field], new URL(place));

    expect(cookies.headerFor(new URL(place))).toBe('');
    expect(unusable).toEqual([{ name: 's', problem: 'path' }]);
  });

  it('are put together once, until one of them changes or ends', () => {
    let now = 0;
    const cookies = new SessionCookies(() => now);
    cookies.store(['a=1; Path=/; Max-Age=10', 'b=2; Path=/'], { url: HTTPS });

    expect(cookies.headerFor(HTTPS)).toBe('a=1; b=2');
    now = 9_999;
    expect(cookies.headerFor(HTTPS)).toBe('a=1; b=2');
    now = 10_000;
    expect(cookies.headerFor(HTTPS)).toBe('b=2');
    cookies.store(['b=3; Path=/'], { url: HTTPS });
    expect(cookies.headerFor(HTTPS)).toBe('b=3');
  });
});

describe('whether a cookie is missing from what is sent', () => {
  const kept = (cookies: SessionCookies, url = HTTPS): SessionCookies => {
    const restored = new SessionCookies(() => 0);
    for (const cookie of cookies.list()) expect(restored.putWhole(cookie, url)).toBe(true);
    return restored;
  };

  it.each([
    's=1; Path=/other',
    's=1; Domain=internal.example',
    `s=${'x'.repeat(5000)}`,
    '__Secure-s=1; Path=/',
    'nameless',
    '=nameless',
  ])('is known when one was dropped, also after a restore: %s', (field) => {
    const { cookies } = store(['JSESSIONID=1', field], HTTPS);

    expect(cookies.areIncomplete).toBe(true);
    expect(kept(cookies).areIncomplete).toBe(true);
    expect(kept(cookies).list()).toEqual(cookies.list());
  });

  it('is known when one has expired by this clock, and after a restore by a clock that is ahead', () => {
    let now = 0;
    const cookies = new SessionCookies(() => now);
    cookies.store(['s=1; Max-Age=300; Path=/'], { url: HTTPS });
    const ahead = new SessionCookies(() => 600_000);
    for (const cookie of cookies.list()) ahead.putWhole(cookie, HTTPS);

    expect([cookies.headerFor(HTTPS), cookies.areIncomplete]).toEqual(['s=1', false]);
    expect([ahead.headerFor(HTTPS), ahead.areIncomplete]).toEqual(['', true]);
    now = 300_000;
    expect([cookies.headerFor(HTTPS), cookies.areIncomplete]).toEqual(['', true]);
  });

  it('is forgotten when the platform sets it again so that it can be sent, or removes it', () => {
    for (const field of [
      's=2; Path=/',
      's=; Max-Age=0; Path=/',
      's=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/',
    ]) {
      const { cookies } = store(['s=1; Domain=internal.example; Path=/', field], HTTPS);

      expect(cookies.areIncomplete).toBe(false);
    }
  });

  it('is false while every cookie is sent, or is for another path below the base URL', () => {
    const { cookies } = store(['s=1; Path=/', 't=2; Path=/Library/api/projects', 'u=; Max-Age=0'], HTTPS);

    expect(cookies.areIncomplete).toBe(false);
  });

  it.each([
    ['a Max-Age', 's=1; Max-Age=300; Path=/'],
    ["an Expires, by the platform's own clock", 's=1; Expires=Tue, 01 Jan 2030 00:05:00 GMT; Path=/'],
  ])('is not decided by how far two clocks are apart: %s', (_kind, field) => {
    for (const apart of [-600_000, 0, 600_000]) {
      let now = Date.UTC(2030, 0, 1) + apart;
      const cookies = new SessionCookies(() => now);
      cookies.store([field], { url: HTTPS, date: () => Date.UTC(2030, 0, 1) });

      now += 299_999;
      expect(cookies.headerFor(HTTPS)).toBe('s=1');
      now += 1;
      expect(cookies.headerFor(HTTPS)).toBe('');
    }
  });
});
