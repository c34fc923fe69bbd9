import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { startUserPlatform } from '../embedded-platform/user-platform.js';
import { type Answer, type GraphQLCaller, graphQLCaller } from '../graphql/graphql-caller.js';
import { sessionKeysSetting } from '../session/session-keys.js';
import { PATIENCE_MS } from '../session/failover.js';
import { type RunningRedis } from '../session/start-redis.js';
import { startWatchedRedis, type WatchedRedis } from '../session/start-redis-topology.js';
import { tempFolder } from '../temp-folder.js';
import { type Balancer, startBalancer } from './balancer.js';
import { type RunningService, runService, stopServices } from './run-service.js';

const INSTANCES = 3;
/** After so many, a user logs out. */
const READS = 20;
/** For each user, on average, when the last blow has fallen. */
const ANSWERS_AFTERWARDS = 10;
/** A logout this long before a node died had reached the replicas. */
const REPLICATED_MS = 1000;

export interface ChaosPlan {
  readonly seed: number;
  readonly users: number;
  readonly seconds: number;
  /** Between the end of one blow and the next. */
  readonly calmMs: number;
}

/** What came of it. Sessions are lost, mixed up or revived only if they were acknowledged, and had reached a replica. */
export interface ChaosReport {
  readonly answers: number;
  readonly logins: number;
  readonly logouts: number;
  readonly lost: number;
  readonly mixed: number;
  readonly revived: number;
  /** How often each blow fell. */
  readonly blows: Readonly<Record<string, number>>;
  /** Errors by their code. */
  readonly errors: Readonly<Record<string, number>>;
  /** The same for each second that had any, from the beginning. */
  readonly errorsBySecond: Readonly<Record<number, Readonly<Record<string, number>>>>;
}

/**
 * Three instances behind a balancer, with their sessions in three nodes of Redis and three sentinels, while users log
 * in, read and log out, and a plan by a seed kills, pauses and restarts instances, nodes, sentinels and the platform.
 */
export async function chaos(plan: ChaosPlan): Promise<ChaosReport> {
  const folder = await tempFolder();
  const platform = await startUserPlatform({ forgetsRequests: true });
  const redis = await startWatchedRedis();
  await redis.failOverSoon();
  const balancer = await startBalancer();
  const sessionKeys = sessionKeysSetting();
  const start = async (): Promise<RunningService> => {
    const service = await runService(folder.path, {
      SESSION_STORE: 'redis',
      REDIS_URL: redis.url,
      REDIS_TIMEOUT_MS: '250',
      REDIS_WAIT_REPLICAS: '1',
      SESSION_KEYS: sessionKeys,
      PLATFORM_BASE_URL: platform.baseUrl,
      LOGIN_FAILURES_PER_MINUTE: '100000',
      AUDIT_LOG: 'off',
    });
    balancer.add(service.url);
    return service;
  };
  const services = await Promise.all(Array.from({ length: INSTANCES }, start));
  await eventually(() => services.every(({ url }) => balancer.isReady(url)));
  const world: World = {
    redis,
    balancer,
    services,
    start,
    blockPlatform: (until) => {
      platform.before('GET sessions/userInfo', () => pause(Math.max(0, until - performance.now())));
    },
  };
  const counts = new Counts();
  const over = new AbortController();
  const users = Array.from({ length: plan.users }, (_, n) =>
    use(`user-${n}`, graphQLCaller(`${balancer.url}/graphql`), counts, over.signal),
  );
  await strike(plan, world, counts);
  over.abort();
  await Promise.all(users);
  await counts.lookAtLoggedOut(graphQLCaller(`${balancer.url}/graphql`));
  await stopServices();
  await balancer.close();
  await redis.close();
  await platform.close();
  await folder.remove();
  return counts.report();
}

interface World {
  readonly redis: WatchedRedis;
  readonly balancer: Balancer;
  readonly services: RunningService[];
  readonly start: () => Promise<RunningService>;
  readonly blockPlatform: (until: number) => void;
}

type Blow = (world: World, counts: Counts, random: () => number) => Promise<void>;

const BLOWS: Readonly<Record<string, Blow>> = {
  'an instance is killed': async (world, _counts, random) => {
    const n = Math.floor(random() * INSTANCES);
    const old = world.services[n];
    if (old === undefined) return;
    await old.stop('SIGKILL');
    world.balancer.remove(old.url);
    world.services[n] = await world.start();
  },
  'an instance is paused': async ({ services }, _counts, random) => {
    const child = services[Math.floor(random() * INSTANCES)]?.process;
    child?.kill('SIGSTOP');
    await pause(1000);
    child?.kill('SIGCONT');
  },
  'the master is killed': async ({ redis }, counts) => {
    const master = await redis.master();
    counts.nodeDies();
    await master.kill();
    await eventually(async () => (await redis.master()) !== master, PATIENCE_MS);
    await master.restart();
  },
  'the master is paused': async ({ redis }, counts) => {
    const master = await redis.master();
    counts.nodeDies();
    master.pause();
    await eventually(async () => (await redis.master()) !== master, PATIENCE_MS);
    // Until the other replica follows the new master, the old one could still confirm a write with its help.
    await eventually(async () => hasReplicas(await redis.master(), 1), PATIENCE_MS);
    master.resume();
  },
  'a sentinel is killed': async ({ redis }, _counts, random) => {
    const sentinel = redis.sentinels[1 + Math.floor(random() * 2)];
    await sentinel?.kill();
    await sentinel?.restart();
  },
  'the platform is slow': async ({ blockPlatform }) => {
    blockPlatform(performance.now() + 1000);
    await pause(1000);
  },
};

async function strike(
  { seed, users, seconds, calmMs }: ChaosPlan,
  world: World,
  counts: Counts,
): Promise<void> {
  const random = randomBy(seed);
  const end = performance.now() + seconds * 1000;
  const names = Object.keys(BLOWS);
  for (let n = Math.floor(random() * names.length); performance.now() < end; n += 1) {
    const name = names[n % names.length] ?? '';
    await pause(calmMs * (0.5 + random()));
    // The replicas have to be there again, or there would be nothing to fail over to.
    await eventually(async () => hasReplicas(await world.redis.master(), 2), PATIENCE_MS);
    counts.blow(name);
    await BLOWS[name]?.(world, counts, random);
  }
  // A session that was lost is found out by its next use.
  const before = counts.answers;
  await eventually(() => counts.answers >= before + ANSWERS_AFTERWARDS * users, PATIENCE_MS);
}

async function hasReplicas({ admin }: RunningRedis, count: number): Promise<boolean> {
  return (await admin.info('replication')).match(/state=online/g)?.length === count;
}

/** Mulberry32: the same numbers for the same seed. */
function randomBy(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One user: logs in, reads who they are, and after some reads logs out and begins again. */
async function use(name: string, call: GraphQLCaller, counts: Counts, over: AbortSignal): Promise<void> {
  let handle: string | undefined;
  let reads = 0;
  // A logout whose answer was lost may have been done.
  let isEnding = false;
  while (!over.aborted) {
    await pause(200 + Math.random() * 400);
    const answer = await counts.ask(() =>
      handle === undefined
        ? call(
            `mutation { login(input: { username: "${name}", password: "x", transport: BEARER }) { handle } }`,
          )
        : reads < READS
          ? call('{ me { id } }', { handle })
          : call('mutation { logout { loggedOut } }', { handle }),
    );
    if (answer === 'gone') {
      if (!isEnding) counts.lost += 1;
      [handle, isEnding] = [undefined, false];
    }
    isEnding ||= handle !== undefined && reads >= READS;
    if (answer === undefined || answer === 'gone') continue;
    if (answer.data.login !== undefined) {
      handle = answer.data.login.handle as string;
      [reads, isEnding, counts.logins] = [0, false, counts.logins + 1];
    } else if (answer.data.logout !== undefined) {
      counts.loggedOut(handle ?? '');
      handle = undefined;
    } else {
      reads += 1;
      if (answer.data.me.id !== name) counts.mixed += 1;
    }
  }
}

class Counts {
  logins = 0;
  mixed = 0;
  lost = 0;
  answers = 0;
  #revived = 0;
  readonly #logouts: { readonly handle: string; readonly at: number }[] = [];
  readonly #deaths: number[] = [];
  readonly #blows: Record<string, number> = {};
  readonly #errors: Record<string, number> = {};
  readonly #bySecond: Record<number, Record<string, number>> = {};
  readonly #began = performance.now();

  /** The answer; `gone` if there is no such session, undefined for one that says to try again, or for none. */
  async ask(call: () => Promise<Answer>): Promise<Answer | 'gone' | undefined> {
    const answer = await call().catch(() => undefined);
    const extensions = answer?.errors?.[0]?.extensions;
    if (answer !== undefined && extensions === undefined) {
      this.answers += 1;
      return answer;
    }
    const { reason: why, code } = (extensions ?? {}) as { reason?: string; code?: string };
    const reason = why ?? code ?? 'no answer';
    this.#errors[reason] = (this.#errors[reason] ?? 0) + 1;
    const ofSecond = (this.#bySecond[Math.floor((performance.now() - this.#began) / 1000)] ??= {});
    ofSecond[reason] = (ofSecond[reason] ?? 0) + 1;
    return reason === 'NO_SESSION' || reason === 'SESSION_EXPIRED' ? 'gone' : undefined;
  }

  blow(name: string): void {
    this.#blows[name] = (this.#blows[name] ?? 0) + 1;
  }

  nodeDies(): void {
    this.#deaths.push(performance.now());
  }

  loggedOut(handle: string): void {
    this.#logouts.push({ handle, at: performance.now() });
  }

  async lookAtLoggedOut(call: GraphQLCaller): Promise<void> {
    for (const { handle, at } of this.#logouts) {
      if (this.#deaths.some((death) => death >= at && death - at < REPLICATED_MS)) continue;
      const answer = await call('{ hasSession }', { handle });
      if (answer.data?.hasSession === true) this.#revived += 1;
    }
  }

  report(): ChaosReport {
    return {
      answers: this.answers,
      logins: this.logins,
      logouts: this.#logouts.length,
      lost: this.lost,
      mixed: this.mixed,
      revived: this.#revived,
      blows: this.#blows,
      errors: this.#errors,
      errorsBySecond: this.#bySecond,
    };
  }
}
