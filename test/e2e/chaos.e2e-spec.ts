import { describe, expect, it } from 'vitest';
import { chaos } from '../support/app/chaos.js';
import { redisMissing } from '../support/session/start-redis.js';

const suite = redisMissing === undefined ? describe : describe.skip;

suite(
  `instances, nodes, sentinels and a platform that fail in turn (${redisMissing ?? 'the short form'})`,
  () => {
    it('lose, mix up and revive no session that was acknowledged', async () => {
      const report = await chaos({ seed: 7, users: 20, seconds: 20, calmMs: 500 });
      expect(report).toMatchObject({ lost: 0, mixed: 0, revived: 0 });
      expect(report.answers).toBeGreaterThanOrEqual(200);
    }, 400_000);
  },
);
