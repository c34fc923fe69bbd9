import { expect, it } from 'vitest';
import { chaos } from '../support/app/chaos.js';

const { CHAOS_SEED = '1', CHAOS_SECONDS = '600', CHAOS_USERS = '300' } = process.env;

it('lose, mix up and revive no session that was acknowledged', async () => {
  const plan = {
    seed: Number(CHAOS_SEED),
    users: Number(CHAOS_USERS),
    seconds: Number(CHAOS_SECONDS),
    calmMs: 3000,
  };
  const report = await chaos(plan);
  const { errorsBySecond, ...sums } = report;
  console.log(JSON.stringify({ plan, report: sums }, null, 2));
  console.log(
    Object.entries(errorsBySecond)
      .map(([second, errors]) => `second ${second}: ${JSON.stringify(errors)}`)
      .join('\n'),
  );
  expect(report).toMatchObject({ lost: 0, mixed: 0, revived: 0 });
}, 1_200_000);
