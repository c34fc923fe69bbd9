import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doctorPrints, SETUPS } from '../support/app/doctor-setups.js';
import { redisMissing, startRedis } from '../support/session/start-redis.js';
import { tempFolder } from '../support/temp-folder.js';

const PAGE = readFileSync(new URL('../../docs/doctor.md', import.meta.url), 'utf8');

/** What docs/doctor.md shows under a heading. */
const documented = (heading: string): string | undefined =>
  new RegExp(`^### ${heading.replaceAll('/', '\\/')}\\n[^\`]*\`\`\`text\\n([^\`]*)\`\`\``, 'm').exec(
    PAGE,
  )?.[1];

describe('the doctor', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeAll(async () => (folder = await tempFolder()));
  afterAll(() => folder.remove());

  it.each(Object.entries(SETUPS))('prints what docs/doctor.md shows: %s', async (heading, make) => {
    const printed = await doctorPrints(await make(), folder.path);
    expect(printed).not.toContain('CANARY');
    expect(printed).toBe(documented(heading));
  });

  const itOverRedis = redisMissing === undefined ? it : it.skip;
  itOverRedis(`warns of a Redis that may drop sessions (${redisMissing ?? 'started here'})`, async () => {
    const redis = await startRedis(['--maxmemory-policy', 'allkeys-lru']);
    const environment = { SESSION_STORE: 'redis', REDIS_URL: redis.url };
    const printed = await doctorPrints({ environment }, folder.path);
    expect(printed).toContain('redis can be written (Redis ');
    expect(printed).toContain('maxmemory-policy allkeys-lru');
    await redis.close();
  });
});
