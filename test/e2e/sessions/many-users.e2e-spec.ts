import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manyUsers } from '../../support/session/many-users.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';

/** `npm run fuzz` asks for more. */
const REQUESTS = process.env.FUZZ === 'thorough' ? 20_000 : 2_500;

const suite = redisMissing === undefined ? describe : describe.skip;

suite(`two hundred users at once (${redisMissing ?? 'a redis-server that the test owns'})`, () => {
  let redis: RunningRedis;
  let platform: UserPlatform;
  beforeEach(async () => {
    redis = await startRedis();
    platform = await startUserPlatform();
  });
  afterEach(async () => {
    await platform.close();
    await redis.close();
  });

  it('each get their own answers only, though some hang up and redis drops its connections', async () => {
    const figures = await manyUsers(redis, platform, { users: 200, requests: REQUESTS });
    expect(figures).toMatchObject({ foreign: 0, otherFailures: [] });
    expect(figures.answered + figures.aborted).toBe(REQUESTS);
    expect(figures.connectionsKilled).toBeGreaterThan(1);
    expect(figures.aborted).toBeGreaterThan(20);
    expect(figures.answered - figures.unavailable).toBeGreaterThan(0.8 * REQUESTS);
  }, 180_000);
});
