import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { ServiceError, storeUnavailable } from '../../errors/service-error.js';
import { redisFault, type ReplyForm } from './redis-replies.js';
import { REDIS_SCRIPTS, type RedisScripts, type ScriptName } from './redis-scripts.js';
import { CountingConnector, UnexpectedReplyError } from './redis-socket.js';
import { type StoreHealth } from './store-health.js';

const CONNECT_TIMEOUT_MS = 1000;
/** How long a new connection may be silent while it is set up. */
const SILENCE_MS = 5000;
const LONGEST_PAUSE_MS = 500;
/** A connection that is given up closes in this time, even if the other side does not close it. */
const CLOSE_MS = 100;
/** How long a command may take, in milliseconds. */
const COMMAND_TIMEOUT_MS = 250;
/** A reply that has not come in this time is lost. */
const LOST_AFTER_MS = 2000;
const LATE = 'it does not answer in time';

/**
 * A connection to Redis that reconnects on its own. Until then every command fails immediately. Each reply repeats
 * what identifies its command. One that does not, or is missing, ends the connection: from then on replies could go
 * to the wrong commands.
 */
export class RedisClient {
  readonly #redis: Redis & RedisScripts;
  readonly #health: StoreHealth;
  /** Differs between processes, so that a reply to another one is never taken for one of ours. */
  readonly #sender = randomBytes(6).toString('base64url');
  #sent = 0;
  /** By how many milliseconds the clock of Redis is ahead of ours. */
  #clockOffset = 0;
  #isClosed = false;

  private constructor(redis: Redis & RedisScripts, health: StoreHealth) {
    this.#redis = redis;
    this.#health = health;
    redis.on('error', (error) => {
      health.fail('unreachable', redisFault(error));
      if (error instanceof UnexpectedReplyError) this.#reconnect();
    });
    // A server that dies closes its connections without an error.
    redis.on('reconnecting', () => {
      health.fail('unreachable', health.reason ?? 'the connection is lost');
    });
    redis.on('ready', () => {
      health.recover();
      void warnOfEviction(redis, health);
    });
  }

  /**
   * Resolves when the first attempt to connect has succeeded or failed.
   *
   * @param url `redis://` or, with TLS, `rediss://`; may contain user, password, and database
   * @param health reported when the connection is lost or restored, and what could lose sessions; never gets a secret
   */
  static async open(url: string, health: StoreHealth): Promise<RedisClient> {
    const redis = new Redis(url, {
      Connector: CountingConnector,
      connectTimeout: CONNECT_TIMEOUT_MS,
      disconnectTimeout: CLOSE_MS,
      socketTimeout: SILENCE_MS,
      maxRetriesPerRequest: 1,
      enableOfflineQueue: false,
      retryStrategy: (attempt) => Math.min(20 * attempt, LONGEST_PAUSE_MS),
      scripts: REDIS_SCRIPTS,
    }) as Redis & RedisScripts;
    const client = new RedisClient(redis, health);
    const firstAttempt = new AbortController();
    await Promise.race([
      once(redis, 'ready', firstAttempt),
      once(redis, 'reconnecting', firstAttempt),
      pause(CONNECT_TIMEOUT_MS, undefined, firstAttempt),
    ]).catch(() => undefined);
    firstAttempt.abort();
    return client;
  }

  /** Milliseconds since the epoch by the clock of Redis, as of the last answer. */
  now(): number {
    return Date.now() + this.#clockOffset;
  }

  /**
   * Runs a script. An error of the Redis client contains the command and all of its arguments; none of that is
   * passed on.
   *
   * @param hasForm whether the answer is one that the script gives
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async ask<T>(hasForm: ReplyForm<T>, script: ScriptName, ...parts: (string | number)[]): Promise<T> {
    const command = `${this.#sender}${(this.#sent += 1)}`;
    const reply = this.#redis[script](...parts, command);
    const answer = reply.then((found) => this.#answerTo(command, found, hasForm));
    try {
      return await withinTime(answer, COMMAND_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw storeUnavailable(redisFault(error));
      if (isLate(error)) void this.#reconnectIfLost(answer);
      throw error;
    }
  }

  /** What Redis says of itself. */
  async info(): Promise<string> {
    try {
      return await withinTime(this.#redis.info(), COMMAND_TIMEOUT_MS);
    } catch (error) {
      throw storeUnavailable(redisFault(error));
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#redis.disconnect();
  }

  #answerTo<T>(command: string, reply: unknown, hasForm: ReplyForm<T>): T {
    const [echo, time, answer = null] = Array.isArray(reply) ? (reply as unknown[]) : [];
    const at = Number(time);
    if (echo !== command || !(time === '' || at > 0) || !hasForm(answer)) {
      const reason = 'it gave an answer that does not fit the request';
      this.#health.fail('unreachable', reason);
      this.#reconnect();
      throw storeUnavailable(reason);
    }
    if (time !== '') this.#clockOffset = at - Date.now();
    return answer;
  }

  async #reconnectIfLost(answer: Promise<unknown>): Promise<void> {
    try {
      await withinTime(answer, LOST_AFTER_MS - COMMAND_TIMEOUT_MS);
    } catch (error) {
      if (isLate(error)) this.#reconnect();
    }
  }

  /** Ends the connection, with all commands that are waiting on it: none is sent again. */
  #reconnect(): void {
    if (this.#redis.status !== 'ready' || this.#redis.listenerCount('end') > 0) return;
    this.#redis.once('end', () => {
      if (!this.#isClosed) this.#redis.connect().catch(() => undefined);
    });
    this.#redis.disconnect();
  }
}

function isLate(error: unknown): boolean {
  return error instanceof ServiceError && error.message.endsWith(LATE);
}

/** Uses `INFO`, since most hosted servers forbid `CONFIG`. */
async function warnOfEviction(redis: Redis, health: StoreHealth): Promise<void> {
  try {
    const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1];
    if (policy === undefined || policy === 'noeviction') return;
    health.report(
      `Redis may drop sessions when its memory is full (maxmemory-policy ${policy}): use noeviction`,
    );
  } catch {
    // A lost connection is reported elsewhere.
  }
}

/**
 * Waits for an answer for a limited number of milliseconds.
 *
 * A timer alone would also fire when this process was busy for that long and the answer is waiting in the socket.
 * Sockets are read after timers, so one more turn of the event loop distinguishes the two cases.
 *
 * @throws ServiceError SESSION_STORE_UNAVAILABLE
 */
export function withinTime<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let lastLook: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      lastLook = setImmediate(() => {
        reject(storeUnavailable(LATE));
      });
    }, milliseconds);
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      clearImmediate(lastLook);
    });
  });
}
