import { describe, expect, it } from '@jest/globals';
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
  cookies.store(fields, new URL('auth/login', base), { base, onUnusable: (cookie) => unusable.push(cookie) });
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
  ] as const)(
    'that no request would send are dropped, counted and reported: %s for %s',
    (field, base, problem) => {
      const { cookies, unusable } = store([field], base);

      expect(cookies.dropped).toBe(1);
      expect(cookies.list()).toEqual([]);
      expect(unusable).toEqual([{ name: 's', problem }]);
    },
  );

  it.each([
    ['s=1; Secure; Path=/', HTTPS],
    ['s=1; Secure', new URL('http://127.0.0.1:8080/api/')],
    ['s=1; Path=/Library', HTTP],
    ['s=1; Path=/Library/api/projects', HTTP],
    ['s=1', HTTP],
    ['s=; Path=/other; Max-Age=0', HTTP],
  ])('that some request would send are not dropped: %s for %s', (field, base) => {
    const { cookies, unusable } = store([field], base);

    expect(cookies.dropped).toBe(0);
    expect(unusable).toEqual([]);
  });

  it('are put together once, until one of them changes or ends', () => {
    let now = 0;
    const cookies = new SessionCookies(() => now);
    cookies.store(['a=1; Path=/; Max-Age=10', 'b=2; Path=/'], HTTPS);

    expect(cookies.headerFor(HTTPS)).toBe('a=1; b=2');
    now = 9_999;
    expect(cookies.headerFor(HTTPS)).toBe('a=1; b=2');
    now = 10_000;
    expect(cookies.headerFor(HTTPS)).toBe('b=2');
    cookies.store(['b=3; Path=/'], HTTPS);
    expect(cookies.headerFor(HTTPS)).toBe('b=3');
  });
});
