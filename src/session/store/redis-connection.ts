import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { redisFault } from './redis-fault.js';
import { REDIS_SCRIPTS, type RedisScripts } from './redis-scripts.js';

const CONNECT_TIMEOUT_MS = 1000;
/**
 * A server that has stopped answering keeps its sockets open; after this time the client reconnects. The time is longer than
 * this process may be too busy to read an answer. A single command is given up earlier, by `orUnavailable`.
 */
const SILENCE_MS = 15_000;
const LONGEST_PAUSE_MS = 500;

/** A connection to Redis that reconnects on its own. Until then every command fails at once. */
export type RedisConnection = Redis & RedisScripts;

/**
 * Resolves when the first attempt to connect has succeeded or failed.
 *
 * @param url `redis://` or, with TLS, `rediss://`; may contain user, password, and database
 * @param report called when the connection is lost or restored, and about anything that could lose sessions; never gets a secret
 */
export async function connectRedis(url: string, report: (message: string) => void): Promise<RedisConnection> {
  const redis = new Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(20 * attempt, LONGEST_PAUSE_MS),
    scripts: REDIS_SCRIPTS,
  }) as RedisConnection;
  let reported: string | undefined;
  const lost = (fault: string): void => {
    // Repeated attempts fail in the same way: report that once.
    if (fault !== reported) report(`The session store cannot be used: ${fault}`);
    reported = fault;
  };
  redis.on('error', (error) => {
    lost(redisFault(error));
  });
  // A server that dies closes its connections without an error.
  redis.on('reconnecting', () => {
    lost(reported ?? 'the connection is lost');
  });
  redis.on('ready', () => {
    if (reported !== undefined) report('The session store can be used again');
    reported = undefined;
    void warnOfEviction(redis, report);
  });
  const firstAttempt = new AbortController();
  await Promise.race([
    once(redis, 'ready', firstAttempt),
    once(redis, 'reconnecting', firstAttempt),
    pause(CONNECT_TIMEOUT_MS, undefined, firstAttempt),
  ]).catch(() => undefined);
  firstAttempt.abort();
  return redis;
}

/** Uses `INFO`, since most hosted servers forbid `CONFIG`. */
async function warnOfEviction(redis: Redis, report: (message: string) => void): Promise<void> {
  try {
    const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1];
    if (policy === undefined || policy === 'noeviction') return;
    report(`Redis may drop sessions when its memory is full (maxmemory-policy ${policy}): use noeviction`);
  } catch {
    // A lost connection is reported elsewhere.
  }
}
