import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { answerAtLast, bearerHandleAtLast } from '../graphql/graphql-caller.js';
import { sessionKeysSetting } from './session-keys.js';
import { startApp } from '../app/start-app.js';
import { type RunningRedis } from './start-redis.js';
import { codeOf, percentile, startLoad } from './steady-load.js';
import { type UserPlatform } from '../embedded-platform/user-platform.js';

const USERS = 20;
const REQUESTS_PER_SECOND = 100;

/** What an outage of the store under load was like. */
export interface OutageFigures {
  readonly requests: number;
  /** Codes of all answers; `OK` for those without errors. */
  readonly codes: Readonly<Record<string, number>>;
  readonly cookiesCleared: number;
  /** Of the answers during the outage. */
  readonly p99Ms: number;
  /** From the moment when Redis answered again to the first good answer. */
  readonly recoveryMs: number;
  readonly sessionsLost: number;
}

/** Kills Redis under a load of reads, brings it back after a while, and counts. */
export async function storeOutage(
  redis: RunningRedis,
  platform: UserPlatform,
  outageMs: number,
  requestsPerSecond = REQUESTS_PER_SECOND,
): Promise<OutageFigures> {
  const app = await startApp({
    SESSION_STORE: 'redis',
    REDIS_URL: redis.url,
    SESSION_KEYS: sessionKeysSetting(),
    PLATFORM_BASE_URL: platform.baseUrl,
  });
  try {
    const handles = await Promise.all(
      Array.from({ length: USERS }, (_, n) => bearerHandleAtLast(app.graphql, { username: `user ${n}` })),
    );
    const ask = (n: number): ReturnType<typeof app.graphql> =>
      app.graphql('{ me { id } }', { handle: handles[n % USERS] });
    /** Good answers since the last change, by requests that were sent since then. */
    let [period, good] = [0, 0];
    const load = startLoad(requestsPerSecond, async (n) => {
      const sentIn = period;
      const answer = await ask(n);
      if (sentIn === period && codeOf({ answer }) === 'OK') good += 1;
      return answer;
    });
    await eventually(() => good >= 10);
    const downAt = load.now();
    await redis.kill();
    await pause(outageMs);
    await redis.restart();
    const upAt = load.now();
    [period, good] = [1, 0];
    await eventually(() => good >= 50);
    const outcomes = await load.stop();

    const during = outcomes.filter(({ at }) => at >= downAt && at < downAt + outageMs);
    const firstGood = outcomes.find((outcome) => outcome.at >= upAt && codeOf(outcome) === 'OK');
    const codes: Record<string, number> = {};
    for (const outcome of outcomes) {
      const code = String(codeOf(outcome));
      codes[code] = (codes[code] ?? 0) + 1;
    }
    const afterwards = await Promise.all(handles.map((_handle, n) => answerAtLast(() => ask(n))));
    return {
      requests: outcomes.length,
      codes,
      cookiesCleared: outcomes.filter(({ answer }) => answer?.headers.has('set-cookie')).length,
      p99Ms: percentile(
        during.map(({ tookMs }) => tookMs),
        99,
      ),
      recoveryMs: firstGood === undefined ? Infinity : Math.max(0, firstGood.at + firstGood.tookMs - upAt),
      sessionsLost: afterwards.filter(({ data }, n) => data?.me?.id !== `user ${n}`).length,
    };
  } finally {
    await app.close();
  }
}
