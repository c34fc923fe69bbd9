import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { answerAtLast, bearerHandleAtLast } from '../../support/graphql/graphql-caller.js';
import { runService, type RunningService, stopServices } from '../../support/app/run-service.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';
import { codeOf, startLoad } from '../../support/session/steady-load.js';
import { freePort } from '../../support/free-port.js';
import { type MetricsReader, metricsReader } from '../../support/metrics-reader.js';
import { tempFolder } from '../../support/temp-folder.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';

const suite = redisMissing === undefined ? describe : describe.skip;
/** A busy machine may keep Redis waiting for longer than a command may take: then a caller is asked to come again. */
const WHOLE_OR_BUSY: unknown[] = ['OK', 'SESSION_STORE_UNAVAILABLE'];
/** A machine that stands still for longer may let each instance do it once. */
const NOT_AGAIN_MS = 1000;
const EXTEND = 'mutation { extend { expiresAt sessionStatus { id } } }';

suite(`two instances on one redis (${redisMissing ?? 'a redis-server that the test owns'})`, () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let redis: RunningRedis;
  let platform: UserPlatform;
  let one: RunningService;
  let two: TestApp;
  let metrics: MetricsReader[];
  beforeAll(async () => {
    folder = await tempFolder();
    redis = await startRedis();
    platform = await startUserPlatform({ newCookieEachRead: true });
    const environment = {
      SESSION_STORE: 'redis',
      REDIS_URL: redis.url,
      SESSION_KEYS: sessionKeysSetting(),
      PLATFORM_BASE_URL: platform.baseUrl,
      PLATFORM_TIMEOUT_MS: '60000',
    };
    // Only the one that is to be killed is a process of its own.
    const ports = [String(await freePort()), String(await freePort())];
    metrics = ports.map((port) => metricsReader(`http://127.0.0.1:${port}/metrics`));
    const [METRICS_PORT = '', other = ''] = ports;
    [one, two] = await Promise.all([
      runService(folder.path, { ...environment, LOG_LEVEL: 'warn', METRICS_PORT }),
      startApp({ ...environment, METRICS_PORT: other }),
    ]);
  });
  afterAll(async () => {
    await stopServices();
    await two.close();
    await platform.close();
    await redis.close();
    await folder.remove();
  });

  const underWay = async (): Promise<number> => {
    const counts = await Promise.all(
      metrics.map((reader) => reader.value('portico_http_requests_in_flight')),
    );
    return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  };

  it('know each other’s sessions, and end them for each other', async () => {
    const before = platform.openSessions();
    const handle = await bearerHandleAtLast(one.graphql, { username: 'alice' });
    expect((await two.graphql('{ me { id } }', { handle })).data).toEqual({ me: { id: 'alice' } });
    await two.graphql('mutation { logout { loggedOut } }', { handle });
    expect((await one.graphql('{ hasSession }', { handle })).data).toEqual({ hasSession: false });
    expect(platform.openSessions()).toBe(before);
  });

  it.each([
    ['at once', 0],
    ['later than a lease lasts', 3500],
  ])(
    'prolong a session once for a hundred who ask together, when the platform answers %s',
    async (_when, delayMs) => {
      const handle = await bearerHandleAtLast(one.graphql, { username: 'alice' });
      let [answered, platformAt] = [0, 0];
      platform.before('PUT sessions', async () => {
        await eventually(async () => (await underWay()) + answered >= 100);
        await pause(delayMs);
        platformAt = performance.now();
      });
      const before = platform.count('PUT sessions');
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          (n % 2 === 0 ? one : two).graphql(EXTEND, { handle }).finally(() => (answered += 1)),
        ),
      );
      const isQuick = performance.now() - platformAt < NOT_AGAIN_MS;
      const done = answers.filter(({ errors }) => errors === undefined);
      expect(done.length).toBeGreaterThan(0);
      for (const { data } of done) expect(data.extend.sessionStatus).toEqual({ id: 'alice' });
      for (const answer of answers) expect(WHOLE_OR_BUSY).toContain(codeOf({ answer }));
      const calls = platform.count('PUT sessions') - before;
      if (isQuick) expect(calls).toBe(1);
      else expect(calls).toBeLessThanOrEqual(2);
    },
  );

  it('lose no session when one of them is killed under load, and the other one answers all that it is asked', async () => {
    const users = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        bearerHandleAtLast((n % 2 === 0 ? one : two).graphql, { username: `user ${n}` }),
      ),
    );
    // As a balancer does: to each in turn, and to the other one once a connection is refused.
    let isOneGone = false;
    let unansweredByTwo = 0;
    let sent = 0;
    const load = startLoad(50, async (n) => {
      sent += 1;
      const handle = users[n % users.length];
      const toOne = n % 2 === 0 && !isOneGone;
      try {
        return await (toOne ? one : two).graphql('{ me { id } }', { handle });
      } catch (error) {
        if (toOne) isOneGone = true;
        else unansweredByTwo += 1;
        throw error;
      }
    });
    await eventually(() => sent >= 100);
    await one.stop('SIGKILL');
    const before = sent;
    await eventually(() => sent >= before + 200);
    const outcomes = await load.stop();

    expect(unansweredByTwo).toBe(0);
    const failures = outcomes.filter((outcome) => codeOf(outcome) !== 'OK');
    for (const failure of failures) expect(['NO_ANSWER', ...WHOLE_OR_BUSY]).toContain(codeOf(failure));
    expect(outcomes.length).toBeGreaterThan(200);
    const answers = await Promise.all(
      users.map((handle) => answerAtLast(() => two.graphql('{ me { id } }', { handle }))),
    );
    expect(answers.map(({ data }): unknown => data.me.id)).toEqual(users.map((_, n) => `user ${n}`));
  });
});
