import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type Answer, answerAtLast } from '../../support/graphql/graphql-caller.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';
import { storeOutage } from '../../support/session/store-outage.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';

const LOGIN = 'mutation { login(input: {username: "alice", password: "password"}) { me { id } } }';
/** Far more than on any machine, and less than for ever; the measured figures stand in docs/operations.md. */
const SOON_MS = 30_000;
/** So few that a busy machine still keeps up, and what is measured is the store; `npm run soak` sends 100. */
const REQUESTS_PER_SECOND = 25;

const suite = redisMissing === undefined ? describe : describe.skip;

suite(`a caller whose session store is down (${redisMissing ?? 'a redis-server that the test owns'})`, () => {
  let redis: RunningRedis;
  let platform: UserPlatform;
  let app: TestApp;
  beforeEach(async () => {
    redis = await startRedis();
    platform = await startUserPlatform();
    app = await startApp({
      SESSION_STORE: 'redis',
      REDIS_URL: redis.url,
      REDIS_TIMEOUT_MS: '1000',
      SESSION_KEYS: sessionKeysSetting(),
      PLATFORM_BASE_URL: platform.baseUrl,
    });
  });
  afterEach(async () => {
    await app.close();
    await platform.close();
    await redis.close();
  });

  const loggedInCookie = async (): Promise<string> => {
    const login = await answerAtLast(() => app.graphql(LOGIN));
    return String(login.headers.getSetCookie()[0]?.split(';')[0]);
  };
  const expectUnavailable = (answer: Answer): void => {
    expect(answer.errors?.[0]?.extensions).toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
      retryable: true,
      retryAfter: 1,
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('set-cookie')).toBeNull();
  };

  it.each([
    ['gone', (owned: RunningRedis) => owned.kill(), (owned: RunningRedis) => owned.restart()],
    [
      'stalled',
      (owned: RunningRedis) =>
        Promise.resolve(owned).then(({ pause }) => {
          pause();
        }),
      (owned: RunningRedis) =>
        Promise.resolve(owned).then(({ resume }) => {
          resume();
        }),
    ],
  ])(
    'is told so at once while it is %s, keeps the cookie, and goes on when it is back',
    async (_how, down, up) => {
      const cookie = await loggedInCookie();
      const calls = platform.requests.length;

      await down(redis);
      for (const query of [
        '{ me { id } }',
        '{ hasSession }',
        'mutation { extend { expiresAt } }',
        'mutation { logout { loggedOut } }',
      ]) {
        const before = performance.now();
        expectUnavailable(await app.graphql(query, { headers: { cookie, 'sec-fetch-site': 'same-origin' } }));
        expect(performance.now() - before).toBeLessThan(SOON_MS);
      }
      expectUnavailable(await app.graphql(LOGIN));
      expect(platform.requests).toHaveLength(calls);
      expect((await fetch(`${app.url}/readyz`)).status).toBe(503);
      expect((await fetch(`${app.url}/livez`)).status).toBe(200);

      await up(redis);
      const before = performance.now();
      await eventually(async () => {
        const { data } = await app.graphql('{ me { id } }', {
          headers: { cookie, 'sec-fetch-site': 'same-origin' },
        });
        expect(data.me).toEqual({ id: 'alice' });
      });
      expect(performance.now() - before).toBeLessThan(SOON_MS);
      await eventually(async () => {
        expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
      });
    },
  );

  it('loses nothing under load over three seconds without a store', async () => {
    const figures = await storeOutage(redis, platform, 3000, REQUESTS_PER_SECOND);
    expect(Object.keys(figures.codes).sort()).toEqual(['OK', 'SESSION_STORE_UNAVAILABLE']);
    expect(figures).toMatchObject({ cookiesCleared: 0, sessionsLost: 0 });
    expect(figures.p99Ms).toBeLessThan(SOON_MS);
    expect(figures.recoveryMs).toBeLessThan(SOON_MS);
  });

  it('has no session on the platform when the store goes down during the login', async () => {
    platform.before('POST auth/login', () => redis.kill());
    expectUnavailable(await app.graphql(LOGIN));
    expect(platform.count('POST auth/login')).toBe(1);
    expect(platform.openSessions()).toBe(0);
  });
});
