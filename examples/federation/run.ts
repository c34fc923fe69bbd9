/**
 * The whole graph on this machine: the embedded platform, Portico, the second subgraph and Hive Gateway, all on free
 * ports. Logs in, queries across both subgraphs in both directions, logs out, and exits; with --stay it keeps serving.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { composeSupergraph } from './compose.ts';
import { startRatingsSubgraph } from './ratings-subgraph.ts';

const START_WITHIN_MS = 60_000;
const RATE = 'mutation ($id: ID!, $stars: Int!) { rate(projectId: $id, stars: $stars) { name rating } }';

const secret = randomBytes(32).toString('base64');
const folder = await mkdtemp(join(tmpdir(), 'portico-graph-'));
const processes: ChildProcess[] = [];

async function main(): Promise<void> {
  const porticoPort = await freePort();
  const gatewayPort = await freePort();
  const portico = `http://127.0.0.1:${porticoPort}/graphql`;
  const gateway = `http://127.0.0.1:${gatewayPort}/graphql`;
  const ratings = await startRatingsSubgraph(0);
  run(path('../../dist/main.js'), [], {
    PORT: porticoPort,
    FEDERATION_SECRET: secret,
    TRUSTED_PROXIES: 'loopback',
    SESSION_STORE_PATH: join(folder, 'sessions.db'),
    LOG_LEVEL: 'error',
  });
  const supergraph = join(folder, 'supergraph.graphql');
  await writeFile(supergraph, await composeSupergraph({ portico, ratings: ratings.url }));
  run(
    path('hive-gateway/node_modules/@graphql-hive/gateway/dist/bin.js'),
    [
      'supergraph',
      supergraph,
      '-c',
      path('hive-gateway/gateway.config.ts'),
      '--host',
      '127.0.0.1',
      '-p',
      gatewayPort,
    ],
    { FEDERATION_SECRET: secret },
  );
  await Promise.all([answers(portico), answers(gateway)]);
  say(`Portico at ${portico}, ratings at ${ratings.url}, the graph at ${gateway}`);

  await tour(gateway);
  if (!process.argv.includes('--stay')) return;
  say('Press Ctrl-C to stop.');
  await once(process, 'exit');
}

async function tour(gateway: string): Promise<void> {
  const login = await ask(
    gateway,
    'mutation { login(input: { username: "demo", password: "demo", transport: BEARER }) { handle projects { id name rating } } }',
  );
  const { handle, projects } = login.login as { handle: string; projects: { id: string }[] };
  say(`Logged in; ${projects.length} projects. From ratings to Portico, and back:`);
  for (const [index, { id }] of projects.slice(0, 3).entries()) {
    show(await ask(gateway, RATE, handle, { id, stars: index + 3 }));
  }
  show(await ask(gateway, '{ topRated { rating name owner { name } } }', handle));
  show(await ask(gateway, '{ me { fullName } projects { name rating } }', handle));
  show(await ask(gateway, 'mutation { logout { loggedOut } }', handle));
}

async function ask(
  url: string,
  query: string,
  handle?: string,
  variables?: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(handle === undefined ? {} : { authorization: `Bearer ${handle}` }),
    },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data?: Record<string, unknown>; errors?: unknown };
  if (data === undefined || errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

function run(script: string, parameters: string[], environment: Record<string, string>): void {
  const child = spawn(process.execPath, [script, ...parameters], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  processes.push(child);
}

async function answers(url: string): Promise<void> {
  const end = Date.now() + START_WITHIN_MS;
  for (;;) {
    try {
      await ask(url, '{ __typename }');
      return;
    } catch (fault) {
      if (Date.now() > end || processes.some(({ exitCode }) => exitCode !== null)) throw fault;
      await pause(100);
    }
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

function path(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function say(line: string): void {
  process.stdout.write(`\n${line}\n`);
}

function show(data: unknown): void {
  process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit());
process.on('exit', () => {
  // None of it has to be kept, so nothing is waited for.
  for (const child of processes) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
await main();
process.exit();
