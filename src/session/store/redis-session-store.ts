import { connectRedis, type RedisConnection } from './redis-connection.js';
import { type LoginRecords } from './login-records.js';
import { recordLoginsInRedis } from './redis-login-records.js';
import { type StoreDescription } from './store-backend.js';
import { askRedis, orUnavailable } from './redis-fault.js';
import {
  isCountOrNone,
  isEndOrTaken,
  isLeaseState,
  isOk,
  isPeekedOrNone,
  isSessionOrNone,
  isUseOrNone,
  type ReplyForm,
} from './redis-replies.js';
import {
  type LeaseState,
  type PeekedSession,
  type PlatformUse,
  type SessionLife,
  type SessionStore,
  type StoredSession,
  TOUCH_AFTER,
} from './session-store.js';
import { storeUnavailable } from '../../errors/service-error.js';

const SESSION = 'portico:session:';
const USE = 'portico:use:';
const LEASE = 'portico:lease:';
const PING = 'portico:ping';
const PING_MS = 1000;

/** Sessions in Redis, for any number of instances. Redis keeps the clock and expires sessions. */
export class RedisSessionStore implements SessionStore {
  readonly isShared = true;
  readonly #redis: RedisConnection;
  readonly #idle: number;
  readonly #max: number;

  private constructor(redis: RedisConnection, life: SessionLife) {
    this.#redis = redis;
    this.#idle = life.idleSeconds * 1000;
    this.#max = life.maxSeconds * 1000;
  }

  /**
   * Connects, and keeps trying in the background. While Redis is away, each call fails after 250 ms.
   *
   * @param url `redis://` or, with TLS, `rediss://`; may contain user, password, and database
   * @param report called with what an operator should know; never contains a secret
   */
  static async open(
    url: string,
    life: SessionLife,
    report: (message: string) => void = () => undefined,
  ): Promise<RedisSessionStore> {
    return new RedisSessionStore(await connectRedis(url, report), life);
  }

  async create(key: string, sealed: string): Promise<number> {
    const expiresAt = await this.#ask(isEndOrTaken, () =>
      this.#redis.createSession(SESSION + key, sealed, this.#idle, this.#max),
    );
    if (expiresAt === null) throw storeUnavailable('the key is taken');
    return Number(expiresAt);
  }

  async read(key: string): Promise<StoredSession | undefined> {
    const gain = this.#idle * TOUCH_AFTER;
    const found = await this.#ask(isSessionOrNone, () =>
      this.#redis.readSession(SESSION + key, this.#idle, this.#max, gain),
    );
    if (found === null) return undefined;
    const [version, expiresAt, sealed] = found;
    return { version: Number(version), expiresAt: Number(expiresAt), sealed };
  }

  async peek(key: string): Promise<PeekedSession | undefined> {
    const [found, platformUse] = await Promise.all([
      this.#ask(isPeekedOrNone, () => this.#redis.peekSession(SESSION + key, this.#idle, this.#max)),
      this.#platformUse(key),
    ]);
    if (found === null) return undefined;
    const [version, expiresAt, sealed, idleExpiresAt] = found;
    return {
      version: Number(version),
      expiresAt: Number(expiresAt),
      sealed,
      idleExpiresAt: Number(idleExpiresAt),
      platformUse,
    };
  }

  noteUse(key: string, at: number, timeoutMs?: number): void {
    // It outlives the platform session by an idle life, so that the end of that session can still be reported.
    const life = this.#idle + (timeoutMs ?? this.#max);
    this.#ask(isCountOrNone, () => this.#redis.noteUse(USE + key, at, timeoutMs ?? '', life)).catch(
      () => undefined,
    );
  }

  async replace(key: string, version: number, sealed: string): Promise<boolean> {
    return (
      (await this.#ask(isCountOrNone, () => this.#redis.replaceSession(SESSION + key, version, sealed))) === 1
    );
  }

  async remove(key: string, version?: number): Promise<boolean> {
    return (
      (await this.#ask(isCountOrNone, () => this.#redis.removeSession(SESSION + key, version ?? ''))) === 1
    );
  }

  lease(key: string, holder: string, milliseconds: number): Promise<LeaseState> {
    return this.#ask(isLeaseState, () => this.#redis.leaseSession(LEASE + key, holder, milliseconds));
  }

  async settle(key: string, holder: string, milliseconds: number): Promise<boolean> {
    return (
      (await this.#ask(isCountOrNone, () => this.#redis.settleSession(LEASE + key, holder, milliseconds))) ===
      1
    );
  }

  /** Writes, because a full or read-only Redis still answers a PING. */
  async ping(): Promise<void> {
    await this.#ask(isOk, () => this.#redis.set(PING, '', 'PX', PING_MS));
  }

  /** Its version, and what it drops when its memory is full. */
  async describe(): Promise<StoreDescription> {
    const info = await orUnavailable(() => this.#redis.info());
    const valueOf = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
    return {
      product: `Redis ${valueOf('redis_version') ?? 'of unknown version'}`,
      evictionPolicy: valueOf('maxmemory_policy'),
    };
  }

  /** Remembers logins over the same connection. */
  loginRecords(): LoginRecords {
    return recordLoginsInRedis(this.#redis);
  }

  /** Unknown: Redis would have to scan all of its keys. */
  count(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    this.#redis.disconnect();
    return Promise.resolve();
  }

  async #platformUse(key: string): Promise<PlatformUse | undefined> {
    const [at, timeoutMs] =
      (await this.#ask(isUseOrNone, () => this.#redis.get(USE + key)))?.split('.') ?? [];
    return timeoutMs === undefined ? undefined : { at: Number(at), timeoutMs: Number(timeoutMs) };
  }

  #ask<T>(hasForm: ReplyForm<T>, command: () => Promise<unknown>): Promise<T> {
    return askRedis(this.#redis, hasForm, command);
  }
}
