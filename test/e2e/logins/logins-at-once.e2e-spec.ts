import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthService } from '../../../src/auth/auth.service.js';
import { LoginMode } from '../../../src/auth/login.input.js';
import { SessionTransport } from '../../../src/session/session.model.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { redisMissing, type RunningRedis, startRedis } from '../../support/session/start-redis.js';

const LOGINS = 1_000;
const MOST_COMMANDS = 11;
const overRedis = redisMissing === undefined ? describe : describe.skip;

overRedis(
  `a thousand good logins at once${redisMissing === undefined ? '' : ` (skipped: ${redisMissing})`}`,
  () => {
    let redis: RunningRedis;
    let app: TestApp;
    beforeAll(async () => {
      redis = await startRedis();
      app = await startApp({ SESSION_STORE: 'redis', REDIS_URL: redis.url, LOGIN_WAIT_MS: '100000' });
    });
    afterAll(async () => {
      await app.close();
      await redis.close();
    });

    const input = {
      username: 'demo',
      password: 'demo',
      mode: LoginMode.STANDARD,
      transport: SessionTransport.BEARER,
    };
    const signal = new AbortController().signal;
    /** Without HTTP, so that a busy machine does not reset connections of the test's own client. */
    const logIn = (): Promise<unknown> =>
      app.app
        .get(AuthService)
        .login(
          {
            requestId: 'test',
            clientAddress: '192.0.2.1',
            presented: undefined,
            network: '192.0.2.1',
            signal,
          },
          input,
        )
        .then(
          ({ handle }) => handle,
          (error: unknown) => error,
        );

    it('all succeed, and cost Redis at most eleven commands each, those within scripts included', async () => {
      // Loads the scripts into Redis.
      await logIn();
      const before = await commands(redis);
      const handles = await Promise.all(Array.from({ length: LOGINS }, logIn));
      const cost = (await commands(redis)) - before;
      expect(handles.filter((handle) => !/^[\w-]{43}$/.test(String(handle)))).toEqual([]);
      expect(new Set(handles).size).toBe(LOGINS);
      expect(cost / LOGINS).toBeLessThanOrEqual(MOST_COMMANDS);
      expect(cost / LOGINS).toBeGreaterThan(3);
    }, 180_000);
  },
);

/** Commands that Redis has run so far, those within scripts included, and those of the question itself left out. */
async function commands({ admin }: RunningRedis): Promise<number> {
  const stats = await admin.info('commandstats');
  const counts = [...stats.matchAll(/^cmdstat_(?!info)\S+:calls=(\d+)/gm)].map(([, calls]) => Number(calls));
  return counts.reduce((sum, calls) => sum + calls, 0);
}
