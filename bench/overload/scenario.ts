import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, type Answer, type Headers } from '../load/ask.ts';
import { type BenchRedis, redisMissing, startRedis } from '../machine/redis.ts';
import { type RunningSystem, startSystem } from '../measure/running-system.ts';
import { type Surroundings, type System } from '../systems/index.ts';
import { type OverloadPlatform, startOverloadPlatform } from './platform.ts';

/** One row of the table: what is done to the service, and what it did before. */
export interface Row {
  readonly id: string;
  readonly what: string;
  /** As it was measured before there were any bounds. */
  readonly before: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Options of Node itself. */
  readonly node?: readonly string[];
  readonly redis?: boolean;
}

export interface Scenario extends Row {
  run(service: Service): Promise<string>;
}

/** A running service and its platform. */
export interface Service {
  readonly port: number;
  readonly pid: number;
  readonly platform: OverloadPlatform;
  readonly redis: BenchRedis | undefined;
  isAlive(): boolean;
}

/** Runs a scenario on a service of its own, which is one of the systems. */
export async function play(scenario: Scenario, systems: readonly System[]): Promise<string> {
  const platform = await startOverloadPlatform();
  try {
    return await onService(scenario, systems, platform, ({ port, process: { pid, child } }, redis) => {
      const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
      return scenario.run({ port, pid, platform, redis, isAlive });
    });
  } finally {
    await platform.stop();
  }
}

/** Starts the service of a row, and stops it after the work. */
export async function onService(
  row: Row,
  systems: readonly System[],
  platform: Surroundings['platform'],
  work: (running: RunningSystem, redis: BenchRedis | undefined) => Promise<string>,
): Promise<string> {
  if (row.redis === true && redisMissing !== undefined) return `not measured: ${redisMissing}`;
  const system = systems.find(({ id }) => id === (row.redis === true ? 'undici-redis' : 'undici'));
  if (system === undefined) throw new Error('The bench has no such system');
  const folder = await mkdtemp(join(tmpdir(), 'portico-overload-'));
  const redis = row.redis === true ? await startRedis() : undefined;
  const running = await startSystem(system, { platform, redisUrl: redis?.url, folder }, (launch) => ({
    ...launch,
    args: [...(row.node ?? []), ...launch.args],
    env: { ...launch.env, LOG_LEVEL: 'silent', ...row.settings },
  }));
  try {
    return await work(running, redis);
  } finally {
    await running.process.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const LOGIN = `mutation ($u: String, $p: String) { login(input: {username: $u, password: $p, transport: BEARER}) { handle } }`;

/** One request, whatever comes back: a connection that fails has the status 0. */
export async function query(
  service: Service,
  text: string,
  headers: Headers = {},
  variables = {},
): Promise<Answer> {
  try {
    return await ask(service.port, '/graphql', { query: text, variables }, headers);
  } catch {
    return { status: 0, headers: {}, body: '' };
  }
}

export function login(service: Service, u: string, p = 'right', headers: Headers = {}): Promise<Answer> {
  return query(service, LOGIN, headers, { u, p });
}

/** The headers of a user who has logged in. */
export async function session(service: Service, user: string): Promise<Headers> {
  const { body } = await login(service, user);
  const handle = /"handle":"([^"]+)"/.exec(body)?.[1];
  if (handle === undefined) throw new Error(`The login of ${user} failed: ${body.slice(0, 200)}`);
  return { authorization: `Bearer ${handle}` };
}

export function isGood({ status, body }: Answer): boolean {
  return status === 200 && !body.includes('"errors"');
}

/** Milliseconds to an answer. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Milliseconds to each answer of `/livez`, one after the other, until the work is done. */
export async function probeDuring(service: Service, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const state = { isDone: false };
  const end = work.finally(() => (state.isDone = true));
  while (!state.isDone) {
    times.push(await timed(() => livez(service.port)));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await end;
  return times;
}

function livez(port: number): Promise<void> {
  return new Promise((resolve) => {
    const call = get({ host: '127.0.0.1', port, path: '/livez', agent: false }, (response) => {
      response
        .resume()
        .on('end', resolve)
        .on('error', () => {
          resolve();
        });
    });
    call.on('error', () => {
      resolve();
    });
  });
}

export function p99(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  return `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? NaN)} ms`;
}

/** How many of each kind there are: `good`, the code of the error, or the status. */
export function tally(answers: readonly Answer[]): string {
  const kinds = new Map<string, number>();
  for (const answer of answers) {
    const code = /"code":"(\w+)"/.exec(answer.body)?.[1];
    const kind = isGood(answer) ? 'good' : (code ?? (answer.status === 0 ? 'no answer' : `${answer.status}`));
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
