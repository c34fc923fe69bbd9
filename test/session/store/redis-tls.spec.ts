import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseSettings } from '../../../src/config/parse-settings.js';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { redisAccess } from '../../../src/session/store/redis-topology.js';
import {
  type Certificate,
  makeCertificate,
} from '../../../packages/portico/test/support/client/certificate.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { redisMissing, type RunningRedis, startRedis } from '../../support/session/start-redis.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';

const suite = redisMissing === undefined ? describe : describe.skip;
const LIFE = { idleSeconds: 60, maxSeconds: 600 };

/** One certificate is the authority, that of each node and that of each client. */
suite(`nodes that take TLS with a client certificate alone (${redisMissing ?? 'started here'})`, () => {
  let certificate: Certificate;
  let keyFile: string;
  const running: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    certificate = await makeCertificate();
    keyFile = `${certificate.path}.key`;
    writeFileSync(keyFile, certificate.key);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.close()));
  });

  /** A node, or with a file a sentinel. The plain port is that of the test alone: no other node learns of it. */
  const start = async (settings: string[], file?: string): Promise<RunningRedis & { tlsPort: number }> => {
    const tlsPort = await freePort();
    const node = await startRedis(
      [
        ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'yes', '--tls-replication', 'yes'],
        ...['--tls-cert-file', certificate.path, '--tls-key-file', keyFile],
        ...['--tls-ca-cert-file', certificate.path, ...settings],
      ],
      file === undefined ? {} : { configuration: (folder) => sentinelFile(folder, file) },
    );
    running.push(node);
    return { ...node, tlsPort };
  };

  const open = async (url: string, hasCertificate: boolean): Promise<RedisSessionStore> => {
    const settings = parseSettings({
      ...{ SESSION_STORE: 'redis', REDIS_URL: url, SESSION_KEYS: sessionKeysSetting() },
      REDIS_TLS_CA: certificate.path,
      REDIS_TIMEOUT_MS: '10000',
      ...(hasCertificate && { REDIS_TLS_CERT: certificate.path, REDIS_TLS_KEY: keyFile }),
    });
    const store = await RedisSessionStore.open(redisAccess(settings), LIFE);
    running.push(store);
    return store;
  };

  /** A client that has the authority, but no certificate of its own. */
  const expectNothingWithoutCertificate = async (url: string): Promise<void> => {
    const stranger = await open(url, false);
    await expect(stranger.create('other', 'sealed')).rejects.toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
    });
  };

  it('are found by a sentinel', async () => {
    const master = await start([]);
    const sentinel = await start([], `sentinel monitor group 127.0.0.1 ${master.tlsPort} 1`);
    const url = `rediss+sentinel://127.0.0.1:${sentinel.tlsPort}/group`;
    await expectNothingWithoutCertificate(url);

    const store = await open(url, true);
    await eventually(() => store.create('key', 'sealed'));
    expect(await store.read('key')).toMatchObject({ sealed: 'sealed' });
    expect(await master.admin.exists('portico:session:key')).toBe(1);
  });

  it('are a cluster', async () => {
    const cluster = ['--cluster-enabled', 'yes', '--tls-cluster', 'yes'];
    const nodes = await Promise.all([1, 2, 3].map(() => start(cluster)));
    const addresses = nodes.map(({ tlsPort }) => `127.0.0.1:${tlsPort}`);
    const tls = ['--tls', '--cacert', certificate.path, '--cert', certificate.path, '--key', keyFile];
    const made = spawnSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes', ...tls], {
      timeout: 30_000,
    });
    expect(made.stdout.toString()).toContain('All 16384 slots covered');
    await eventually(async () => {
      for (const { admin } of nodes) expect(await admin.cluster('INFO')).toContain('cluster_state:ok');
    });
    const url = `rediss+cluster://${addresses.join(',')}`;
    await expectNothingWithoutCertificate(url);

    const store = await open(url, true);
    const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`);
    // The first command of each connection waits for its handshake, which may take too long on a busy machine.
    for (const key of keys) await eventually(() => store.create(key, `sealed ${key}`));
    for (const key of keys) expect(await store.read(key)).toMatchObject({ sealed: `sealed ${key}` });
    for (const { admin } of nodes) expect(await admin.dbsize()).toBeGreaterThan(0);
  });
});

function sentinelFile(folder: string, monitor: string): string[] {
  const file = `${folder}/sentinel.conf`;
  writeFileSync(file, `${monitor}\n`);
  return [file, '--sentinel'];
}
