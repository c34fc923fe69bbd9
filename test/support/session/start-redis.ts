import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { type RedisAccess } from '../../../src/session/store/redis-topology.js';
import { freePort } from '../free-port.js';
import { tempFolder } from '../temp-folder.js';

/** The system's redis-server as a process that a test owns. */
export interface RunningRedis {
  readonly url: string;
  readonly access: RedisAccess;
  readonly port: number;
  /** The folder of its data. */
  readonly folder: string;
  /** A connection of the test's own. */
  readonly admin: Redis;
  readonly isRunning: () => boolean;
  /** Ends it without a warning, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with what it had on disk. */
  restart(): Promise<void>;
  /** Stops it from answering; its sockets stay open. */
  readonly pause: () => void;
  readonly resume: () => void;
  close(): Promise<void>;
}

const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** Undefined where it can be run; else why not, for the title of what is skipped. */
export const redisMissing: string | undefined =
  spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server is not installed';

/** With patience, so that a busy machine fails no test. What is about the time limit uses the URL. */
export function patientAccess(url: string): RedisAccess {
  return { url, timeoutMs: 10_000 };
}

interface RedisTestOptions {
  readonly password?: string;
  readonly tls?: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
  readonly configuration?: (folder: string) => readonly string[];
}

/**
 * Starts a redis-server on a free loopback port and waits until it answers. It keeps what it has acknowledged.
 *
 * @param settings as on its command line, for example `['--maxmemory', '2mb']`.
 * @param options how the test's own connection differs, for example by a password; and what comes first on the command
 *   line, such as a file in the folder of its data.
 */
export async function startRedis(
  settings: readonly string[] = [],
  { configuration, ...connection }: RedisTestOptions = {},
): Promise<RunningRedis> {
  const folder = await tempFolder();
  const port = await freePort();
  const launch = (): ChildProcess => {
    const basics = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder.path, '--save', ''];
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always'];
    const first = configuration?.(folder.path) ?? [];
    // By default, a master waits five seconds for further replicas before it copies what it has to the first one.
    const soon = ['--repl-diskless-sync-delay', '0'];
    const rest = configuration === undefined ? [...durable, ...soon] : [];
    const child = spawn('redis-server', [...first, ...basics, ...rest, ...settings], { stdio: 'ignore' });
    living.add(child);
    child.once('exit', () => living.delete(child));
    return child;
  };
  let child = launch();
  const ended = once(child, 'exit').then(() => {
    throw new Error(`redis-server did not start on port ${port} with ${settings.join(' ')}`);
  });
  const admin = new Redis(port, '127.0.0.1', {
    ...connection,
    maxRetriesPerRequest: null,
    retryStrategy: () => 10,
  });
  admin.on('error', () => undefined);
  await Promise.race([admin.ping(), ended]);

  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const kill = async (): Promise<void> => {
    if (!isRunning()) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const url = `redis://127.0.0.1:${port}`;
  return {
    url,
    access: patientAccess(url),
    port,
    folder: folder.path,
    admin,
    isRunning,
    kill,
    restart: async () => {
      await kill();
      child = launch();
      await admin.ping();
    },
    pause: () => {
      child.kill('SIGSTOP');
    },
    resume: () => {
      child.kill('SIGCONT');
    },
    close: async () => {
      admin.disconnect();
      await kill();
      await folder.remove();
    },
  };
}
