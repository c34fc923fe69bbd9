/** How long a built service in production takes to refuse each hostile document, and for how long it keeps others waiting. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createApp } from 'portico-service';
import { BOMBS } from '../test/support/graphql/hostile-documents.ts';

const ROUNDS = 7;
const WARM_UP = 20;

const folder = await mkdtemp(join(tmpdir(), 'portico-bench-'));
const app = await createApp({
  NODE_ENV: 'production',
  EMBEDDED_PLATFORM: 'on',
  LOG_LEVEL: 'silent',
  SESSION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  SESSION_STORE_PATH: join(folder, 'sessions.db'),
});
await app.listen({ host: '127.0.0.1', port: 0 });
const url = `${await app.getUrl()}/graphql`;

async function millisecondsToRefuse(query: string): Promise<number> {
  const began = performance.now();
  const body = JSON.stringify({ query });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await answer.text();
  return performance.now() - began;
}

for (let warm = 0; warm < WARM_UP; warm += 1) await millisecondsToRefuse('{ hasSession }');
const rows = [];
for (const { what, query } of BOMBS) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) taken.push(await millisecondsToRefuse(query));
  delay.disable();
  taken.sort((a, b) => a - b);
  rows.push({
    document: what,
    'median ms': Number(taken[ROUNDS >> 1]?.toFixed(1)),
    'worst ms': Number(taken.at(-1)?.toFixed(1)),
    'loop delay p99 ms': Number((delay.percentile(99) / 1e6).toFixed(1)),
  });
}
console.table(rows);
await app.close();
await rm(folder, { recursive: true });
