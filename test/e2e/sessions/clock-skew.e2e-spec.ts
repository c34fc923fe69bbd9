import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ageRedis } from '../../support/session/age-redis.js';
import {
  answerAtLast,
  bearerHandleAtLast,
  type GraphQLCaller,
} from '../../support/graphql/graphql-caller.js';
import { runService, type RunningService, stopServices } from '../../support/app/run-service.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { skewedClock } from '../../support/session/skewed-clock.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';
import { tempFolder } from '../../support/temp-folder.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';

const suite = redisMissing === undefined ? describe : describe.skip;
const SECOND = 1000;
const TEN_MINUTES = 600 * SECOND;
const IDLE = 300 * SECOND;
const MAX = 1000 * SECOND;
const LEEWAY = 60 * SECOND;

suite(`two instances on one redis, ten minutes ahead and behind (${redisMissing ?? 'started here'})`, () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let redis: RunningRedis;
  let platform: UserPlatform;
  let services: RunningService[];
  let instances: GraphQLCaller[];
  beforeAll(async () => {
    folder = await tempFolder();
    redis = await startRedis();
    platform = await startUserPlatform();
    const environment = {
      SESSION_STORE: 'redis',
      REDIS_URL: redis.url,
      SESSION_KEYS: sessionKeysSetting(),
      SESSION_IDLE_SECONDS: String(IDLE / SECOND),
      SESSION_MAX_SECONDS: String(MAX / SECOND),
      PLATFORM_BASE_URL: platform.baseUrl,
      LOG_LEVEL: 'debug',
    };
    services = await Promise.all(
      [TEN_MINUTES, -TEN_MINUTES].map((skew) =>
        runService(folder.path, { ...environment, ...skewedClock(skew) }),
      ),
    );
    instances = services.map(({ graphql }) => graphql);
  });
  afterAll(async () => {
    await stopServices();
    await platform.close();
    await redis.close();
    await folder.remove();
  });

  /** One session for each pair of who began it and who is asked: to ask is to prolong. */
  async function sessionsOfAllPairs(): Promise<(() => Promise<boolean>)[]> {
    const pairs = instances.flatMap((began) => instances.map((asked) => ({ began, asked })));
    return Promise.all(
      pairs.map(async ({ began, asked }) => {
        const handle = await bearerHandleAtLast(began, { username: 'alice' });
        return async () =>
          (await answerAtLast(() => asked('{ hasSession }', { handle }))).data.hasSession as boolean;
      }),
    );
  }
  const areOpen = (sessions: (() => Promise<boolean>)[]): Promise<boolean[]> =>
    Promise.all(sessions.map((isOpen) => isOpen()));

  it('are wrong about the time, as their logs show', () => {
    const [ahead = 0, behind = 0] = services.map((service) =>
      Number(/"time":(\d+)/.exec(service.output())?.[1]),
    );
    expect(ahead - behind).toBeGreaterThan(2 * TEN_MINUTES - LEEWAY);
  });

  it('agree on when an unused session ends, whichever instance started it', async () => {
    const used = await sessionsOfAllPairs();
    const unused = await sessionsOfAllPairs();
    await ageRedis(redis.admin, IDLE - LEEWAY);
    expect(await areOpen(used)).toEqual(Array(4).fill(true));
    await ageRedis(redis.admin, LEEWAY);
    expect(await areOpen(unused)).toEqual(Array(4).fill(false));
    expect(await areOpen(used)).toEqual(Array(4).fill(true));
  });

  it('agree on its absolute end, however much it is used', async () => {
    const sessions = await sessionsOfAllPairs();
    for (let age = 0; age < MAX - LEEWAY; age += (MAX - LEEWAY) / 5) {
      expect(await areOpen(sessions)).toEqual(Array(4).fill(true));
      await ageRedis(redis.admin, (MAX - LEEWAY) / 5);
    }
    expect(await areOpen(sessions)).toEqual(Array(4).fill(true));
    await ageRedis(redis.admin, LEEWAY);
    expect(await areOpen(sessions)).toEqual(Array(4).fill(false));
  });

  it('report the same absolute end, by the clock of Redis', async () => {
    for (const instance of instances) {
      const { data } = await answerAtLast(() =>
        instance(
          'mutation { login(input: { username: "alice", password: "x", transport: BEARER }) { expiresAt } }',
        ),
      );
      const left = Date.parse(data.login.expiresAt) - Date.now();
      expect(Math.abs(left - MAX)).toBeLessThan(LEEWAY);
    }
  });
});
