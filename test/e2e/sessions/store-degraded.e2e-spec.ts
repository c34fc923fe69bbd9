import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { redisMissing, type RunningRedis, startRedis } from '../../support/session/start-redis.js';

const suite = redisMissing === undefined ? describe : describe.skip;
const LOGIN = 'mutation { login(input: {username: "bob", transport: BEARER}) { handle } }';

suite(`a Redis that takes no writes (${redisMissing ?? 'started here'})`, () => {
  let redis: RunningRedis;
  let platform: UserPlatform;
  let app: TestApp;
  beforeEach(async () => {
    redis = await startRedis();
    platform = await startUserPlatform();
    app = await startApp({
      SESSION_STORE: 'redis',
      REDIS_URL: redis.url,
      SESSION_KEYS: sessionKeysSetting(),
      PLATFORM_BASE_URL: platform.baseUrl,
    });
  });
  afterEach(async () => {
    await app.close();
    await platform.close();
    await redis.close();
  });
  const readyz = async (): Promise<{ status: number; store: unknown }> => {
    const response = await fetch(`${app.url}/readyz`);
    const { details } = (await response.json()) as { details: { sessionStore: unknown } };
    return { status: response.status, store: details.sessionStore };
  };

  it.each([
    ['because it is full', 'full', ['maxmemory', '1kb'], ['maxmemory', '0']],
    [
      'because it has no replica',
      'read_only',
      ['min-replicas-to-write', '1'],
      ['min-replicas-to-write', '0'],
    ],
  ] as const)(
    'leaves its instances ready, their sessions open, and refuses logins, %s',
    async (_why, fault, set, unset) => {
      const handle = await bearerHandle(app.graphql, { username: 'alice' });
      await redis.admin.config('SET', ...set);
      await eventually(async () => {
        expect(await readyz()).toEqual({ status: 200, store: { status: 'up', degraded: true, fault } });
      });
      expect((await app.graphql('{ me { id } }', { handle })).data).toEqual({ me: { id: 'alice' } });
      const before = platform.openSessions();
      const login = await app.graphql(LOGIN);
      expect(login.status).toBe(503);
      expect(login.headers.get('retry-after')).toBe('1');
      expect(login.errors?.[0]?.extensions).toMatchObject({
        code: 'SESSION_STORE_UNAVAILABLE',
        reason: 'STORE_READ_ONLY',
      });
      expect(platform.openSessions()).toBe(before);

      await redis.admin.config('SET', ...unset);
      await eventually(async () => {
        expect(await readyz()).toEqual({ status: 200, store: { status: 'up', lastFault: fault } });
      });
      await bearerHandle(app.graphql, { username: 'bob' });
    },
  );
});
