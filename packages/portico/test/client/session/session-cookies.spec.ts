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

describe('the cookies of a session', () => {
  const list = (cookies: SessionCookies): string[] =>
    cookies.list().map(({ name, path }) => `${name} ${path}`);

  it('go with the requests to their path', () => {
    const { cookies } = store(['a=1; Path=/Library/api/projects', 'b=2; Path=/Library'], HTTPS);

    expect(cookies.headerFor(HTTPS)).toBe('b=2');
    expect(cookies.headerFor(new URL('projects', HTTPS))).toBe('a=1; b=2');
    expect(cookies.headerFor(HTTPS)).toBe('b=2');
  });

  it('are those of the directory that set them, where they name no path', () => {
    const { cookies } = store(['s=1', 't=2; Path=none'], HTTPS);

    expect(list(cookies)).toEqual(['s /Library/api/auth', 't /Library/api/auth']);
    expect(cookies.headerFor(new URL('auth/logout', HTTPS))).toBe('s=1; t=2');
    cookies.store(['s=; Max-Age=0'], { url: new URL('auth/logout', HTTPS) });
    expect(cookies.headerFor(new URL('auth/logout', HTTPS))).toBe('t=2');
    expect(list(cookies)).toEqual(['t /Library/api/auth']);
  });

  it('of a whole domain are removed by it, and only by it', () => {
    const url = new URL('https://sub.platform.example/');
    const { cookies } = store(['s=1; Domain=platform.example; Path=/'], url);

    cookies.store(['s=; Max-Age=0; Path=/'], { url });
    expect(cookies.headerFor(url)).toBe('s=1');
    cookies.store(['s=; Max-Age=0; Domain=platform.example; Path=/'], { url });
    expect(cookies.headerFor(url)).toBe('');
  });

  it.each([
    ['https://platform.example/', 'platform.example', false],
    ['https://mstr.local/', 'mstr.local', false],
    ['http://mstr/', 'mstr', true],
    ['https://co.uk/', 'co.uk', true],
  ])(
    'at %s are for its subdomains too, if they name %s and a host can have such: not %s',
    (place, domain, hostOnly) => {
      const { cookies } = store([`s=1; Domain=${domain}; Path=/`], new URL(place));

      expect(cookies.list()).toMatchObject([{ domain, hostOnly }]);
    },
  );

  it('of one path are in the order of their domain, then of their name', () => {
    const url = new URL('https://sub.platform.example/');
    const { cookies } = store(['b=1; Path=/', 'a=2; Path=/', 'c=3; Domain=platform.example; Path=/'], url);

    expect(cookies.headerFor(url)).toBe('c=3; a=2; b=1');
  });

  it('are listed by domain, path and name, in whatever order they came', () => {
    const url = new URL('https://sub.platform.example/');
    const fields = [
      'b=1; Path=/',
      'a=2; Path=/',
      'a=3; Path=/a',
      'z=4; Domain=platform.example; Path=/z',
      'z=5; Domain=sub.platform.example; Path=/',
    ];
    for (const order of [fields, fields.toReversed(), fields.toSorted()]) {
      const cookies = new SessionCookies(() => 0);
      cookies.store(order, { url });

      expect(list(cookies)).toEqual(['z /z', 'a /', 'b /', 'z /', 'a /a']);
    }
  });

  it('are listed until they end', () => {
    let now = 0;
    const cookies = new SessionCookies(() => now);
    cookies.store(['s=1; Path=/; Max-Age=10', 't=2; Path=/'], { url: HTTPS });
    now = 9_999;
    expect(list(cookies)).toEqual(['s /', 't /']);
    now = 10_000;
    expect(list(cookies)).toEqual(['t /']);
  });

  it('are sent anew when one is put beside them or removed', () => {
    const { cookies } = store(['s=1; Path=/'], HTTPS);
    expect(cookies.headerFor(HTTPS)).toBe('s=1');
    expect(cookies.putPlain('t', '2', HTTPS)).toBe(true);
    expect(cookies.headerFor(HTTPS)).toBe('s=1; t=2');
    cookies.store(['s=; Path=/; Max-Age=0'], { url: HTTPS });
    expect(cookies.headerFor(HTTPS)).toBe('t=2');
  });

  it.each([
    [HTTP, false],
    [HTTPS, true],
  ])('that have a name and a value only are for the host, and as safe as it: %s', (url, secure) => {
    const cookies = new SessionCookies(() => 0);

    expect(cookies.putPlain('s', '1', url)).toBe(true);
    expect(cookies.list()).toEqual([
      {
        name: 's',
        value: '1',
        domain: 'platform.example',
        path: '/',
        hostOnly: true,
        secure,
        httpOnly: false,
      },
    ]);
    expect(cookies.putPlain('s', 'a;b', url)).toBe(false);
  });

  it('of a snapshot are refused when they cannot be sent, or are of another host', () => {
    const cookies = new SessionCookies(() => 0);
    const saved = { name: 's', value: '1', path: '/', hostOnly: true, secure: false, httpOnly: false };

    expect(cookies.putWhole({ ...saved, domain: 'platform.example', value: 'a\nb' }, HTTPS)).toBe(false);
    expect(cookies.putWhole({ ...saved, domain: 'other.example' }, HTTPS)).toBe(false);
    expect(cookies.putWhole({ ...saved, domain: 'platform.example' }, HTTPS)).toBe(true);
  });

  it('need no date to be known unless one of them ends', () => {
    let asked = 0;
    const date = (): number => (asked += 1);
    const cookies = new SessionCookies(() => 0);
    cookies.store(['s=1; Path=/'], { url: HTTPS, date });
    expect(asked).toBe(0);
    cookies.store(['t=1; Path=/; Max-Age=5'], { url: HTTPS, date });
    expect(asked).toBe(1);
  });

  it.each([
    [-1, true],
    [0, false],
  ])('end by the clock of the platform unless that is a day off: %d ms more, %s', (more, isByPlatform) => {
    const day = 24 * 3600 * 1000;
    let now = 0;
    const cookies = new SessionCookies(() => now);
    const expires = new Date(day + 300_000).toUTCString();
    cookies.store([`s=1; Path=/; Expires=${expires}`], { url: HTTPS, date: () => day + more });
    now = 300_002;

    expect(cookies.headerFor(HTTPS)).toBe(isByPlatform ? '' : 's=1');
  });

  it('end after 400 days at the latest', () => {
    let now = 0;
    const cookies = new SessionCookies(() => now);
    cookies.store(['s=1; Path=/; Max-Age=99999999999'], { url: HTTPS });
    now = 400 * 24 * 3600 * 1000 - 1;
    expect(cookies.headerFor(HTTPS)).toBe('s=1');
    now += 1;
    expect(cookies.headerFor(HTTPS)).toBe('');
  });
});

describe('the limits of the cookies of a session', () => {
  const many = (count: number, more = ''): string[] =>
    Array.from({ length: count }, (_, n) => `c${n}=1${more}`);

  it('are 50 cookies, of which each can be renewed; one for another path or domain is a new one', () => {
    const url = new URL('https://sub.platform.example/');
    const { cookies } = store(many(50, '; Path=/'), url);
    const unusable: UnusableCookie[] = [];
    const onUnusable = (cookie: UnusableCookie): unknown => unusable.push(cookie);

    cookies.store(['c5=2; Path=/'], { url, onUnusable });
    expect(unusable).toEqual([]);
    cookies.store(['c5=3; Path=/other', 'c5=4; Path=/; Domain=platform.example', 'new=1; Path=/'], {
      url,
      onUnusable,
    });

    expect(unusable.map(({ name, problem }) => `${name} ${problem}`)).toEqual([
      'c5 limit',
      'c5 limit',
      'new limit',
    ]);
    expect(cookies.headerFor(url)).toContain('c5=2');
  });

  it('are 8,192 bytes of names and values, without the value that a cookie had before', () => {
    const half = 'x'.repeat(4095);
    const { cookies, unusable } = store([`a=${half}; Path=/`, `b=${half}; Path=/`, 'c=; Path=/'], HTTPS);

    expect(unusable).toEqual([{ name: 'c', problem: 'limit' }]);
    cookies.store([`a=${'x'.repeat(4094)}; Path=/`, 'c=; Path=/'], { url: HTTPS });
    expect(cookies.headerFor(HTTPS)).toMatch(/; c=$/);
  });

  it('do not count what has expired, whatever its path', () => {
    let now = 0;
    const cookies = new SessionCookies(() => now);
    cookies.store(many(50, '; Path=/Library; Max-Age=1'), { url: HTTPS });
    now = 1000;
    cookies.store(
      many(50, '; Path=/Library/api').map((field) => `new-${field}`),
      { url: HTTPS },
    );

    expect(cookies.dropped).toBe(0);
    expect(cookies.headerFor(HTTPS).split('; ')).toHaveLength(50);
  });
});

describe('a cookie that is not sent', () => {
  const withheld = (field: string): unknown => store([field], HTTPS).cookies.list()[0];
  const entry = (name: string, path: string): object => ({
    name,
    value: '',
    domain: 'platform.example',
    path,
    hostOnly: true,
    secure: false,
    httpOnly: true,
    expires: '1970-01-01T00:00:00.000Z',
  });

  it('is listed as an expired one without its value', () => {
    expect(withheld('s=secret; Path=/other')).toStrictEqual(entry('s', '/other'));
  });

  it.each([
    ['s=1; Path=/other', 's', '/other'],
    [`${'s'.repeat(256)}=1; Path=/other`, 's'.repeat(256), '/other'],
    [`${'s'.repeat(257)}=1; Path=/other`, 'unreadable', '/other'],
    ['a b=1; Path=/', 'unreadable', '/'],
    [`s=1; Path=/${'p'.repeat(255)}`, 's', `/${'p'.repeat(255)}`],
    [`s=1; Path=/${'p'.repeat(256)}`, 's', '/'],
    ['nameless', 'nameless', '/'],
  ])('is listed by a name and a path that are not too long', (field, name, path) => {
    expect(withheld(field)).toStrictEqual(entry(name, path));
  });

  it('is one of at most eight that are listed', () => {
    const { cookies } = store(
      Array.from({ length: 20 }, (_, n) => `c${n}=1; Path=/other`),
      HTTPS,
    );

    expect([cookies.dropped, cookies.list().length]).toEqual([20, 8]);
  });

  it('is missing until one of the same name and path is sent or removed', () => {
    for (const field of ['s=1; Path=/Library', 's=; Path=/Library; Max-Age=0']) {
      const { cookies } = store(['s=1; Domain=internal.example; Path=/Library'], HTTPS);
      cookies.store(['s=1; Path=/'], { url: HTTPS });
      expect(cookies.areIncomplete).toBe(true);
      cookies.store([field], { url: HTTPS });
      expect(cookies.areIncomplete).toBe(false);
    }
  });

  it.each([
    [' a b', 'a b'],
    ['a b=1; Path=/', 'a b'],
    ['', ''],
  ])('is reported by its name, if somebody listens: %j', (field, name) => {
    expect(store([field], HTTPS).unusable).toEqual([{ name, problem: 'malformed' }]);
    expect(() => {
      new SessionCookies(() => 0).store([field], { url: HTTPS });
    }).not.toThrow();
  });

  it.each([
    ['http://127.0.0.1/', true],
    ['http://127.10.200.30:8080/', true],
    ['http://[::1]/', true],
    ['http://localhost/', true],
    ['http://my.localhost/', true],
    ['http://notlocalhost/', false],
    ['http://localhost.example/', false],
    ['http://128.0.0.1/', false],
  ])('may be a secure one without TLS, but on this machine it is sent: %s, %s', (place, isSent) => {
    const base = new URL(place);
    const { cookies, unusable } = store(['s=1; Secure; Path=/'], base);

    expect(unusable).toEqual(isSent ? [] : [{ name: 's', problem: 'secure' }]);
    expect(cookies.dropped).toBe(isSent ? 0 : 1);
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
