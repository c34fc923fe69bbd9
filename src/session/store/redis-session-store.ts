import { storeUnavailable } from '../../errors/service-error.js';
import { type LoginRecords, PLACE_SECONDS, WINDOW_SECONDS } from './login-records.js';
import { RedisClient } from './redis-client.js';
import {
  areStringsOrNone,
  isCountAndTime,
  isCountOrNone,
  isEndOrTaken,
  isLeaseState,
  isOne,
  isPeekedOrNone,
  isSessionOrNone,
  isTimeLeft,
} from './redis-replies.js';
import {
  type LeaseState,
  type PeekedRecord,
  type SessionLife,
  sessionLife,
  type SessionStore,
  type StoredRecord,
  TOUCH_AFTER,
} from './session-store.js';
import { type BackendFile, type OpenBackend, type StoreDescription } from './store-backend.js';
import { StoreHealth } from './store-health.js';

const SESSION = 'portico:session:';
const USE = 'portico:use:';
const LEASE = 'portico:lease:';
const PING = 'portico:ping';
const PING_MS = 1000;
const FAILURES = 'portico:login-failures:';
const LOGINS = 'portico:logins:';
const PLACE = 'portico:login-place:';

const WINDOW_MS = WINDOW_SECONDS * 1000;
const COUNT = /^\d{1,15}$/;
/** A place has no value. */
const MARK = /^$/;

export const fix = 'REDIS_URL: check host, port, user, password and rediss:// for TLS';

/** Sessions and the history of logins share one connection. */
export const open: OpenBackend = async (settings, health) => {
  const sessions = await RedisSessionStore.open(settings.REDIS_URL ?? '', sessionLife(settings), health);
  return { sessions, logins: sessions.loginRecords(), health };
};

/** What it writes is gone after a second. */
export const tryOut: BackendFile['tryOut'] = async (settings) => {
  const store = await RedisSessionStore.open(settings.REDIS_URL ?? '', sessionLife(settings));
  try {
    await store.ping();
    return await store.describe();
  } finally {
    await store.close();
  }
};

/** Sessions in Redis, for any number of instances. Redis keeps the clock and expires sessions. */
export class RedisSessionStore implements SessionStore {
  readonly isShared = true;
  readonly #redis: RedisClient;
  readonly #idle: number;
  readonly #max: number;

  private constructor(redis: RedisClient, life: SessionLife) {
    this.#redis = redis;
    this.#idle = life.idleSeconds * 1000;
    this.#max = life.maxSeconds * 1000;
  }

  /**
   * Connects, and keeps trying in the background. While Redis is away, each call fails after 250 ms.
   *
   * @param url `redis://` or, with TLS, `rediss://`; may contain user, password, and database
   */
  static async open(url: string, life: SessionLife, health = new StoreHealth()): Promise<RedisSessionStore> {
    return new RedisSessionStore(await RedisClient.open(url, health), life);
  }

  async create(key: string, sealed: string): Promise<number> {
    const end = await this.#redis.ask(
      isEndOrTaken,
      'createSession',
      SESSION + key,
      sealed,
      this.#idle,
      this.#max,
    );
    if (end === null) throw storeUnavailable('the key is taken');
    return Number(end);
  }

  async read(key: string): Promise<StoredRecord | undefined> {
    const gain = this.#idle * TOUCH_AFTER;
    const found = await this.#redis.ask(
      isSessionOrNone,
      'readSession',
      SESSION + key,
      this.#idle,
      this.#max,
      gain,
    );
    if (found === null) return undefined;
    const [version, expiresAt, sealed] = found;
    return { version: Number(version), expiresAt: Number(expiresAt), sealed };
  }

  async peek(key: string): Promise<PeekedRecord | undefined> {
    const found = await this.#redis.ask(
      isPeekedOrNone,
      'peekSession',
      SESSION + key,
      USE + key,
      this.#idle,
      this.#max,
    );
    if (found === null) return undefined;
    const [version, expiresAt, sealed, idleExpiresAt, use] = found;
    const [at, timeoutMs] = use.split('.');
    return {
      version: Number(version),
      expiresAt: Number(expiresAt),
      sealed,
      idleExpiresAt: Number(idleExpiresAt),
      platformUse: timeoutMs === undefined ? undefined : { at: Number(at), timeoutMs: Number(timeoutMs) },
    };
  }

  noteUse(key: string, at: number, timeoutMs?: number): void {
    // It outlives the platform session by an idle life, so that the end of that session can still be reported.
    const life = this.#idle + (timeoutMs ?? this.#max);
    this.#redis.ask(isCountOrNone, 'noteUse', USE + key, at, timeoutMs ?? '', life).catch(() => undefined);
  }

  async replace(key: string, version: number, sealed: string): Promise<boolean> {
    return (await this.#redis.ask(isCountOrNone, 'replaceSession', SESSION + key, version, sealed)) === 1;
  }

  async remove(key: string, version?: number): Promise<boolean> {
    return (await this.#redis.ask(isCountOrNone, 'removeSession', SESSION + key, version ?? '')) === 1;
  }

  lease(key: string, holder: string, milliseconds: number): Promise<LeaseState> {
    return this.#redis.ask(isLeaseState, 'leaseSession', LEASE + key, holder, milliseconds);
  }

  async settle(key: string, holder: string, milliseconds: number): Promise<boolean> {
    return (await this.#redis.ask(isCountOrNone, 'settleSession', LEASE + key, holder, milliseconds)) === 1;
  }

  now(): number {
    return this.#redis.now();
  }

  /** Writes, because a full or read-only Redis still answers a PING. */
  async ping(): Promise<void> {
    await this.#redis.ask(isOne, 'setMark', PING, PING_MS);
  }

  /** Its version, and what it drops when its memory is full. */
  async describe(): Promise<StoreDescription> {
    const info = await this.#redis.info();
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
    this.#redis.close();
    return Promise.resolve();
  }
}

/** Keeps the history in Redis, shared by all instances. */
function recordLoginsInRedis(redis: RedisClient): LoginRecords {
  return {
    look: async (keys, place) => {
      const names = keys.map((key) => FAILURES + key);
      const places = place === undefined ? [] : [PLACE + place];
      const form = areStringsOrNone([...names.map(() => COUNT), ...places.map(() => MARK)]);
      const count = names.length + places.length;
      const found = await redis.ask(form, 'readValues', count, ...names, ...places);
      return {
        failures: keys.map((_key, index) => Number(found[index] ?? 0)),
        isKnownPlace: typeof found[keys.length] === 'string',
      };
    },
    addFailure: async (keys) => {
      const names = keys.map((key) => FAILURES + key);
      await redis.ask(isCountAndTime, 'addCounts', names.length, ...names, WINDOW_MS);
    },
    failuresEndIn: async (key) => Math.max(0, await redis.ask(isTimeLeft, 'timeLeft', FAILURES + key)),
    addPlace: async (place) => {
      await redis.ask(isOne, 'setMark', PLACE + place, PLACE_SECONDS * 1000);
    },
    addLogin: async (key) => {
      const [logins, endsIn] = await redis.ask(isCountAndTime, 'addCounts', 1, LOGINS + key, WINDOW_MS);
      return { logins, endsIn };
    },
  };
}
