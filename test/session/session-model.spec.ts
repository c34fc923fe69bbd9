import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { PlatformClient } from 'portico/client';
import {
  MODEL_LIFE,
  sessionCommands,
  sessionModel,
  sessionSystem,
} from '../support/session/session-commands.js';
import { type RunningRedis, redisMissing, startRedis } from '../support/session/start-redis.js';
import { embeddedBench, redisBench, type StoreBench } from '../support/session/store-bench.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';

describe('sessions', () => {
  let platform: UserPlatform;
  let client: PlatformClient;
  beforeAll(async () => {
    // Records that do not open are logged, and many do not after a rotation.
    Logger.overrideLogger(false);
    platform = await startUserPlatform();
    client = new PlatformClient({ baseUrl: platform.baseUrl, transport: 'undici' });
  });
  afterAll(async () => {
    await client.close();
    await platform.close();
  });

  async function compare(open: () => Promise<StoreBench>, numRuns: number): Promise<void> {
    let logins = 0;
    await fc.assert(
      fc.asyncProperty(sessionCommands(30), async (commands) => {
        const bench = await open();
        try {
          const model = sessionModel();
          await fc.asyncModelRun(() => ({ model, real: sessionSystem(bench, platform, client) }), commands);
          logins += model.sessions.length;
        } finally {
          await bench.close();
        }
      }),
      { numRuns, endOnFailure: true },
    );
    // The commands are random, and so is how many of them log in. Hardly any would mean that nothing is compared.
    expect(logins).toBeGreaterThan(numRuns / 4);
  }

  it('match a simple model in the embedded store, whatever is done to them in whatever order', () =>
    compare(() => embeddedBench(MODEL_LIFE), 40));

  const suite = redisMissing === undefined ? describe : describe.skip;
  suite(`in redis (${redisMissing ?? 'the system has one'})`, () => {
    let redis: RunningRedis;
    beforeAll(async () => (redis = await startRedis()));
    afterAll(() => redis.close());

    it('match the same model, although Redis is killed for a crash', () =>
      compare(() => redisBench(redis, MODEL_LIFE), 15));
  });
});
