import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type Redis } from 'ioredis';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type RedisAccess } from '../../../src/session/store/redis-topology.js';
import { patientAccess, type RunningRedis, startRedis } from './start-redis.js';

const QUORUM = 2;
/** Long: a busy machine makes no node a dead one. */
const ROLE_MS = 3000;
/** How long a node is silent before the others hold it for dead: so long that a busy machine makes none so. */
const DEAD_AFTER_MS = 60_000;
/** The same where one is to die. */
const SOON_DEAD_AFTER_MS = 1000;
export const GROUP = 'portico-master';

/** Three nodes that replicate, watched by three sentinels. */
export interface WatchedRedis {
  readonly url: string;
  readonly access: RedisAccess;
  readonly nodes: readonly RunningRedis[];
  readonly sentinels: readonly RunningRedis[];
  /** The node that the sentinels call the master. */
  master(): Promise<RunningRedis>;
  /** From now on a second of silence is enough for a failover. */
  failOverSoon(): Promise<void>;
  close(): Promise<void>;
}

/** @param settings of each node, as on its command line. */
export async function startWatchedRedis(settings: readonly string[] = []): Promise<WatchedRedis> {
  const first = await startRedis(settings);
  const replicaOf = ['--replicaof', `127.0.0.1 ${first.port}`];
  const nodes = [first, ...(await Promise.all([1, 2].map(() => startRedis([...settings, ...replicaOf]))))];
  await Promise.all(nodes.slice(1).map((node) => isReplicating(node.admin)));
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(first.port)));
  await Promise.all(sentinels.map((sentinel) => eventually(() => canFailOver(sentinel))));
  const url = `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${GROUP}`;
  return {
    url,
    access: patientAccess(url),
    nodes,
    sentinels,
    master: async () => {
      for (const each of sentinels) {
        const address = (await each.admin
          .call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', GROUP)
          .catch(() => undefined)) as string[] | undefined;
        const found = nodes.find(({ port }) => String(port) === address?.[1]);
        if (found !== undefined) return found;
      }
      throw new Error('no sentinel knows the master');
    },
    failOverSoon: async () => {
      const setting = ['SET', GROUP, 'down-after-milliseconds', SOON_DEAD_AFTER_MS];
      await Promise.all(sentinels.map(({ admin }) => admin.call('SENTINEL', ...setting)));
    },
    close: async () => {
      await Promise.all([...sentinels, ...nodes].map((each) => each.close()));
    },
  };
}

/** Whether a sentinel knows the other two, and two replicas that it could promote: any of the three may have to decide. */
async function canFailOver({ admin }: RunningRedis): Promise<boolean> {
  const valueOf = (facts: readonly string[], name: string): string | undefined =>
    facts[facts.indexOf(name) + 1];
  const master = (await admin.call('SENTINEL', 'MASTER', GROUP)) as string[];
  const replicas = (await admin.call('SENTINEL', 'REPLICAS', GROUP)) as string[][];
  const good = replicas.filter(
    (facts) => valueOf(facts, 'flags') === 'slave' && valueOf(facts, 'master-link-status') === 'ok',
  );
  return valueOf(master, 'num-other-sentinels') === '2' && good.length === 2;
}

async function startSentinel(port: number): Promise<RunningRedis> {
  return startRedis([], {
    configuration: (folder) => {
      const file = `${folder}/sentinel.conf`;
      const lines = [
        `sentinel monitor ${GROUP} 127.0.0.1 ${port} ${QUORUM}`,
        `sentinel down-after-milliseconds ${GROUP} ${DEAD_AFTER_MS}`,
        `sentinel failover-timeout ${GROUP} 3000`,
        `sentinel parallel-syncs ${GROUP} 2`,
      ];
      writeFileSync(file, `${lines.join('\n')}\n`);
      return [file, '--sentinel'];
    },
  });
}

async function isReplicating(admin: Redis): Promise<void> {
  await eventually(async () => (await admin.info('replication')).includes('master_link_status:up'));
}

/** Waits until each replica among the nodes has all that its master has written. WAIT asks only about the writes of its own connection. */
export async function replicated(nodes: readonly RunningRedis[]): Promise<void> {
  await eventually(async () => {
    const facts = await Promise.all(nodes.map(({ admin }) => replicationOf(admin)));
    const written = new Map(nodes.map(({ port }, n) => [String(port), facts[n]?.get('master_repl_offset')]));
    const replicas = facts.filter((fact) => fact.get('role') === 'slave');
    return (
      replicas.length > 0 &&
      replicas.every((fact) => fact.get('slave_repl_offset') === written.get(fact.get('master_port') ?? ''))
    );
  });
}

async function replicationOf(admin: Redis): Promise<Map<string, string>> {
  const lines = (await admin.info('replication')).split('\r\n');
  return new Map(lines.map((line) => line.split(':', 2) as [string, string]));
}

/** Three masters with a replica each, in one cluster. */
export interface ClusteredRedis {
  readonly url: string;
  readonly access: RedisAccess;
  readonly nodes: readonly RunningRedis[];
  /** The nodes that are masters now and answer. */
  masters(): Promise<RunningRedis[]>;
  /** From now on a second of silence is enough for a failover. */
  failOverSoon(): Promise<void>;
  close(): Promise<void>;
}

export async function startClusteredRedis(settings: readonly string[] = []): Promise<ClusteredRedis> {
  const cluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(DEAD_AFTER_MS)];
  const nodes = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() =>
      startRedis([...cluster, '--cluster-replica-validity-factor', '0', ...settings]),
    ),
  );
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const made = spawnSync('redis-cli', [
    ...['--cluster', 'create', ...addresses],
    ...['--cluster-replicas', '1', '--cluster-yes'],
  ]);
  if (made.status !== 0) throw new Error(`the cluster was not made: ${made.stdout.toString()}`);
  const roleOf = async ({ admin }: RunningRedis): Promise<string | undefined> => {
    const role = (await within(admin.call('ROLE'))) as string[] | undefined;
    return role?.[0];
  };
  await Promise.all(
    nodes.map(async (node) => {
      await eventually(async () => (await node.admin.cluster('INFO')).includes('cluster_state:ok'));
      if ((await roleOf(node)) !== 'master') await isReplicating(node.admin);
    }),
  );
  const url = `redis+cluster://${addresses.slice(0, 3).join(',')}`;
  return {
    url,
    access: patientAccess(url),
    nodes,
    masters: async () => {
      const running = nodes.filter(({ isRunning }) => isRunning());
      const roles = await Promise.all(running.map(roleOf));
      return running.filter((_node, n) => roles[n] === 'master');
    },
    failOverSoon: async () => {
      await Promise.all(
        nodes.map(({ admin }) => admin.config('SET', 'cluster-node-timeout', SOON_DEAD_AFTER_MS)),
      );
    },
    close: async () => {
      await Promise.all(nodes.map((each) => each.close()));
    },
  };
}

/** The answer, or undefined from a node that dies before it. */
function within<T>(answer: Promise<T>): Promise<T | undefined> {
  return Promise.race([
    answer.catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, ROLE_MS, undefined)),
  ]);
}
