import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { answerAtLast, bearerHandleAtLast } from '../../support/graphql/graphql-caller.js';
import { runService, type RunningService, stopServices } from '../../support/app/run-service.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';
import { codeOf, startLoad } from '../../support/session/steady-load.js';
import { tempFolder } from '../../support/temp-folder.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';

const suite = redisMissing === undefined ? describe : describe.skip;
/** A busy machine may keep Redis waiting for longer than a command may take: then a caller is asked to come again. */
const WHOLE_OR_BUSY: unknown[] = ['OK', 'SESSION_STORE_UNAVAILABLE'];
const EXTEND = 'mutation { extend { expiresAt sessionStatus { id } } }';

suite(`two instances on one redis (${redisMissing ?? 'a redis-server that the test owns'})`, () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let redis: RunningRedis;
  let platform: UserPlatform;
  let one: RunningService;
  let two: RunningService;
  beforeAll(async () => {
    folder = await tempFolder();
    redis = await startRedis();
    platform = await startUserPlatform({ newCookieEachRead: true });
    const environment = {
      SESSION_STORE: 'redis',
      REDIS_URL: redis.url,
      SESSION_KEYS: sessionKeysSetting(),
      PLATFORM_BASE_URL: platform.baseUrl,
      LOG_LEVEL: 'warn',
    };
    [one, two] = await Promise.all([
      runService(folder.path, environment),
      runService(folder.path, environment),
    ]);
  });
  afterAll(async () => {
    await stopServices();
    await platform.close();
    await redis.close();
    await folder.remove();
  });

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
      platform.before('PUT sessions', () => pause(delayMs));
      const before = platform.count('PUT sessions');
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? one : two).graphql(EXTEND, { handle })),
      );
      const done = answers.filter(({ errors }) => errors === undefined);
      expect(done.length).toBeGreaterThan(0);
      for (const { data } of done) expect(data.extend.sessionStatus).toEqual({ id: 'alice' });
      for (const answer of answers) expect(WHOLE_OR_BUSY).toContain(codeOf({ answer }));
      expect(platform.count('PUT sessions') - before).toBe(1);
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
    const load = startLoad(100, async (n) => {
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
