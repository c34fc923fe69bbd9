import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { LOAD_CORE } from './cores.ts';
import { freePort } from './free-port.ts';
import { startProcess } from './start-process.ts';

export interface BenchRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** Undefined where it can be run; else why not. */
export const redisMissing: string | undefined =
  spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server is not installed';

/** Starts a redis-server that keeps what it acknowledged, as one for sessions does. */
export async function startRedis(): Promise<BenchRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-bench-redis-'));
  const port = await freePort();
  const running = startProcess({
    core: LOAD_CORE,
    command: 'redis-server',
    args: ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'],
  });
  const connection = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null, retryStrategy: () => 10 });
  connection.on('error', () => undefined);
  await connection.ping();
  connection.disconnect();
  return {
    url: `redis://127.0.0.1:${port}/0`,
    stop: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
