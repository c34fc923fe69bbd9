import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import { DEFAULT_REDIS_TIMEOUT_MS } from '../../config/session-settings.js';
import { ServiceError, storeTakesNoWrites, storeUnavailable } from '../../errors/service-error.js';
import { faultOfWord, isTimeLeft, NO_CONNECTION, redisFault, type ReplyForm } from './redis-replies.js';
import { type ScriptName } from './redis-scripts.js';
import { UnexpectedReplyError } from './redis-socket.js';
import { connectRedis, type RedisAccess, type RedisConnection } from './redis-topology.js';
import { type StoreHealth } from './store-health.js';

/** How long the first attempt to connect is waited for, at least. */
const CONNECT_MS = 1000;
/** A reply that has not come in so many times the time limit of its command is lost. */
const LOST_AFTER_LIMITS = 8;
/** How long replicas may take to confirm a write. */
const REPLICAS_MS = 500;
const LATE = 'it does not answer in time';

type ScriptsOfPipeline = Record<ScriptName, (...parts: (string | number)[]) => unknown>;

/**
 * A connection to Redis that reconnects on its own. Until then every command fails immediately. Each reply repeats
 * what identifies its command. One that does not, or is missing, ends the connection: from then on replies could go
 * to the wrong commands.
 */
export class RedisClient {
  readonly #redis: RedisConnection;
  readonly #health: StoreHealth;
  /** How long a command may take. */
  readonly #timeoutMs: number;
  readonly #lostAfterMs: number;
  /** Differs between processes, so that a reply to another one is never taken for one of ours. */
  readonly #sender = randomBytes(6).toString('base64url');
  #sent = 0;
  /** By how many milliseconds the clock of Redis is ahead of ours. */
  #clockOffset = 0;
  #isClosed = false;

  private constructor(redis: RedisConnection, health: StoreHealth, timeoutMs: number) {
    this.#redis = redis;
    this.#health = health;
    this.#timeoutMs = timeoutMs;
    this.#lostAfterMs = LOST_AFTER_LIMITS * timeoutMs;
    redis.on('error', (error) => {
      health.fail('unreachable', redisFault(error));
      if (error instanceof UnexpectedReplyError) this.#reconnect();
    });
    // A server that dies closes its connections without an error.
    redis.on('reconnecting', () => {
      health.fail('unreachable', health.reason ?? 'the connection is lost');
    });
    // We end it after a reply that cannot be trusted. ioredis does when a sentinel tells of a new master while it
    // asks where the master is, and would not connect again.
    redis.on('end', () => {
      if (!this.#isClosed) redis.connect().catch(() => undefined);
    });
    redis.on('ready', () => {
      if (!health.isDegraded) health.recover();
      void warnOfEviction(redis, health);
    });
  }

  /**
   * Resolves when the first attempt to connect has succeeded or failed.
   *
   * @param health reported when the connection is lost or restored, and what could lose sessions; never gets a secret
   */
  static async open(access: RedisAccess, health: StoreHealth): Promise<RedisClient> {
    const redis = connectRedis(access);
    const client = new RedisClient(redis, health, access.timeoutMs ?? DEFAULT_REDIS_TIMEOUT_MS);
    const firstAttempt = new AbortController();
    await Promise.race([
      once(redis, 'ready', firstAttempt),
      once(redis, 'reconnecting', firstAttempt),
      pause(Math.max(CONNECT_MS, client.#timeoutMs), undefined, firstAttempt),
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
    const command = this.#nextCommand();
    const reply = this.#redis[script](...parts, command);
    const answer = reply.then((found) => this.#answerTo(command, found, hasForm));
    try {
      return await withinTime(answer, this.#timeoutMs);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw this.#failed(error);
      if (isLate(error)) void this.#reconnectIfLost(answer);
      throw error;
    }
  }

  /**
   * Like {@link ask}, for a write that counts only when enough replicas have it.
   *
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async askReplicated<T>(
    replicas: number,
    hasForm: ReplyForm<T>,
    script: ScriptName,
    ...parts: (string | number)[]
  ): Promise<T> {
    const [key = ''] = parts;
    const [first, last] = [this.#nextCommand(), this.#nextCommand()];
    // What follows the wait shows that its reply, which repeats nothing, is the one between them.
    const pipeline = this.#redis.pipeline() as ReturnType<RedisConnection['pipeline']> & ScriptsOfPipeline;
    pipeline[script](...parts, first);
    pipeline.wait(replicas, REPLICAS_MS);
    pipeline.timeLeft(key, last);
    const replies = pipeline.exec().then((results) => {
      const fault = results?.find(([error]) => error !== null)?.[0];
      if (fault) throw fault;
      const [[, written], [, reached], [, after]] = results as [
        [null, unknown],
        [null, unknown],
        [null, unknown],
      ];
      this.#answerTo(last, after, isTimeLeft);
      return { answer: this.#answerTo(first, written, hasForm), reached: Number(reached) };
    });
    try {
      const { answer, reached } = await withinTime(replies, REPLICAS_MS + this.#timeoutMs);
      if (reached >= replicas) return answer;
    } catch (error) {
      throw error instanceof ServiceError ? error : this.#failed(error);
    }
    throw storeTakesNoWrites(`fewer than ${replicas} replicas have confirmed a write (REDIS_WAIT_REPLICAS)`);
  }

  /** Names of keys, in batches, on every master; some may come twice. */
  async *scan(pattern: string, count: number): AsyncGenerator<readonly string[]> {
    const nodes: readonly Redis[] =
      this.#redis instanceof Cluster ? this.#redis.nodes('master') : [this.#redis];
    for (const node of nodes) {
      let cursor = '0';
      do {
        const reply = node.scan(cursor, 'MATCH', pattern, 'COUNT', count);
        const [next, names] = await withinTime(reply, this.#lostAfterMs).catch((error: unknown) => {
          throw error instanceof ServiceError ? error : this.#failed(error);
        });
        yield names;
        cursor = next;
      } while (cursor !== '0');
    }
  }

  /** What Redis says of itself. */
  async info(): Promise<string> {
    try {
      return await withinTime(this.#redis.info(), this.#timeoutMs);
    } catch (error) {
      throw storeUnavailable(redisFault(error));
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#redis.disconnect();
  }

  /** Notes that Redis takes no writes, or that a cluster has no node for a key, which closes no connection. */
  #failed(error: unknown): ServiceError {
    const reason = redisFault(error);
    const fault = faultOfWord(reason);
    if (fault !== undefined) this.#health.fail(fault, reason);
    // A cluster that loses a node closes no connection of its own.
    else if (reason === NO_CONNECTION && this.#health.fault === undefined) {
      this.#health.fail('unreachable', reason);
    }
    return fault === 'full' || fault === 'read_only' ? storeTakesNoWrites(reason) : storeUnavailable(reason);
  }

  #nextCommand(): string {
    return `${this.#sender}${(this.#sent += 1)}`;
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
      await withinTime(answer, this.#lostAfterMs - this.#timeoutMs);
    } catch (error) {
      if (isLate(error)) this.#reconnect();
    }
  }

  /** Ends the connection, with all commands that are waiting on it, and connects again: none is sent again. */
  #reconnect(): void {
    if (this.#redis.status === 'ready') this.#redis.disconnect();
  }
}

function isLate(error: unknown): boolean {
  return error instanceof ServiceError && error.message.endsWith(LATE);
}

/** Uses `INFO`, since most hosted servers forbid `CONFIG`. */
async function warnOfEviction(redis: RedisConnection, health: StoreHealth): Promise<void> {
  try {
    const nodes: readonly Redis[] = redis instanceof Cluster ? redis.nodes('master') : [redis];
    const policies = await Promise.all(
      nodes.map(async (node) => /^maxmemory_policy:(\S+)/m.exec(await node.info('memory'))?.[1]),
    );
    const policy = policies.find((each) => each !== undefined && each !== 'noeviction');
    if (policy === undefined) return;
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
