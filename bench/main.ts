/**
 * CPU and rate of one small GET with cookies: the client by each transport beside the bare libraries. The server is a
 * process of its own; rounds alternate, so that what else the machine does falls on all alike.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { openClients } from './clients.ts';
import { measure, median, type Round } from './measure.ts';

const CALLS = 2000;
const AT_ONCE = 16;
const ROUNDS = 7;

const server = spawn(process.execPath, [new URL('small-get-server.ts', import.meta.url).pathname], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const clients = await openClients(line.toString().trim());
  const rounds = new Map<string, Round[]>(clients.map(({ name }) => [name, []]));
  for (const client of clients) await measure(client, CALLS, AT_ONCE);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const client of clients) rounds.get(client.name)?.push(await measure(client, CALLS, AT_ONCE));
  }
  await Promise.all(clients.map(({ close }) => close()));

  const cpuOf = (name: string): number => median((rounds.get(name) ?? []).map(({ cpu }) => cpu));
  const bare = cpuOf('bare undici with the jar');
  console.log(
    `Small GET with cookies, ${CALLS} calls a round, ${AT_ONCE} at once, median of ${ROUNDS} rounds.`,
  );
  console.log(
    `Node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} cores.\n`,
  );
  console.log('| client | CPU µs a call (min to max) | ratio to bare undici | calls a second |');
  console.log('|---|---|---|---|');
  for (const [name, all] of rounds) {
    const cpus = all.map(({ cpu }) => cpu);
    const spread = `${Math.min(...cpus).toFixed(0)} to ${Math.max(...cpus).toFixed(0)}`;
    const rate = median(all.map(({ rate: each }) => each)).toFixed(0);
    console.log(
      `| ${name} | ${cpuOf(name).toFixed(0)} (${spread}) | ${(cpuOf(name) / bare).toFixed(1)} | ${rate} |`,
    );
  }
} finally {
  server.kill();
}
