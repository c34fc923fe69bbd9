import { storeUnavailable } from '../../errors/service-error.js';
import { type LoginRecords } from './login-records.js';
import { RedisClient } from './redis-client.js';
import {
  inWords,
  isCountOrNone,
  isEndOrTaken,
  isLeaseState,
  isOne,
  isPeekedOrNone,
  isSessionOrNone,
  isString,
  isTimeLeft,
  NO_CONNECTION,
  type ReplyForm,
} from './redis-replies.js';
import { type ScriptName } from './redis-scripts.js';
import {
  type Ending,
  type EndingCause,
  type LeaseState,
  type ListedRecord,
  type PeekedRecord,
  type SessionLife,
  sessionLife,
  type SessionStore,
  type StoredRecord,
  TOUCH_AFTER,
} from './session-store.js';
import { isCluster, type RedisAccess, redisAccess } from './redis-topology.js';
import {
  type BackendFile,
  decidingSettings,
  differences,
  type OpenBackend,
  type StoreDescription,
} from './store-backend.js';
import { recordLoginsInRedis, RedisIndex } from './redis-index.js';
import { StoreHealth } from './store-health.js';

const SESSION = 'portico:session:';
const USE = 'portico:use:';
const LEASE = 'portico:lease:';
const PING = 'portico:ping';
const PING_MS = 1000;
/** Their slots are spread evenly, so that each master of a cluster has one of them. */
const PING_TAGS = ['t3', 'f1', 'yx', 'e1', 'w3', 'hz', 'mz', 'jb', '3i', '8p', 'nz', 'ib'];
const SETTINGS = 'portico:settings';
/** How often an instance says by which settings it treats the sessions, and tries a write. */
const ANNOUNCE_MS = 5000;

export const fix = 'REDIS_URL: check host, port, user, password and rediss:// for TLS';

/** Sessions and the history of logins share one connection. */
export const open: OpenBackend = async (settings, health, client) => {
  const access = { ...redisAccess(settings), client };
  const sessions = await RedisSessionStore.open(
    access,
    sessionLife(settings),
    health,
    settings.REDIS_WAIT_REPLICAS,
  );
  sessions.announce(decidingSettings(settings));
  return { sessions, logins: sessions.loginRecords(), health };
};

/** What it writes is gone after a second. */
export const tryOut: BackendFile['tryOut'] = async (settings) => {
  const health = new StoreHealth();
  const store = await RedisSessionStore.open(redisAccess(settings), sessionLife(settings), health);
  try {
    await store.ping();
    return await store.describe();
  } catch (error) {
    // A server without TLS waits for the rest of what it takes for a command.
    const isSilent = health.reason === undefined || health.reason === NO_CONNECTION;
    const isTls = settings.REDIS_URL?.startsWith('rediss') === true;
    const reason = isSilent && isTls ? 'SILENT_TLS' : health.reason;
    throw reason === undefined ? error : storeUnavailable(inWords(reason));
  } finally {
    await store.close();
  }
};

/** Sessions in Redis, for any number of instances. Redis keeps the clock and expires sessions. */
export class RedisSessionStore implements SessionStore {
  readonly isShared = true;
  readonly #redis: RedisClient;
  /** For writes that wait for replicas: nothing else may wait behind them. */
  readonly #replicated: RedisClient | undefined;
  readonly #replicas: number;
  readonly #isCluster: boolean;
  readonly #index: RedisIndex;
  readonly #health: StoreHealth;
  readonly #idle: number;
  readonly #max: number;
  #announcements: NodeJS.Timeout | undefined;

  private constructor(
    clients: {
      readonly redis: RedisClient;
      readonly replicated: RedisClient | undefined;
      readonly replicas: number;
    },
    access: RedisAccess,
    life: SessionLife,
    health: StoreHealth,
  ) {
    this.#redis = clients.redis;
    this.#replicated = clients.replicated;
    this.#replicas = clients.replicas;
    this.#isCluster = isCluster(access);
    this.#index = new RedisIndex(clients.redis, (key) => this.#name(SESSION, key), health, life);
    this.#health = health;
    this.#idle = life.idleSeconds * 1000;
    this.#max = life.maxSeconds * 1000;
  }

  /**
   * Connects, and keeps trying in the background. While Redis is away, each call fails within its time limit.
   *
   * @param access `REDIS_URL`, or with what else is needed to connect
   * @param replicas how many replicas must have a new session before it counts as stored
   */
  static async open(
    access: RedisAccess | string,
    life: SessionLife,
    health = new StoreHealth(),
    replicas = 0,
  ): Promise<RedisSessionStore> {
    const full = typeof access === 'string' ? { url: access } : access;
    const [redis, replicated] = await Promise.all([
      RedisClient.open(full, health),
      replicas > 0 ? RedisClient.open(full, new StoreHealth()) : undefined,
    ]);
    return new RedisSessionStore({ redis, replicated, replicas }, full, life, health);
  }

  async create(key: string, sealed: string, account?: string): Promise<number> {
    const joining = account === undefined ? undefined : this.#index.join(account, key);
    const parts = [this.#name(SESSION, key), sealed, this.#idle, this.#max];
    const end = await this.#askSurely(isEndOrTaken, 'createSession', ...parts);
    if (end === null) throw storeUnavailable('the key is taken');
    await joining;
    return Number(end);
  }

  async read(key: string): Promise<StoredRecord | undefined> {
    const gain = this.#idle * TOUCH_AFTER;
    const name = this.#name(SESSION, key);
    const found = await this.#redis.ask(isSessionOrNone, 'readSession', name, this.#idle, this.#max, gain);
    if (found === null) return undefined;
    const [version, expiresAt, sealed] = found;
    return { version: Number(version), expiresAt: Number(expiresAt), sealed };
  }

  async peek(key: string): Promise<PeekedRecord | undefined> {
    const names = [this.#name(SESSION, key), this.#name(USE, key)];
    const found = await this.#redis.ask(isPeekedOrNone, 'peekSession', ...names, this.#idle, this.#max);
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
    const name = this.#name(USE, key);
    this.#redis.ask(isCountOrNone, 'noteUse', name, at, timeoutMs ?? '', life).catch(() => undefined);
  }

  async replace(key: string, version: number, sealed: string): Promise<boolean> {
    const name = this.#name(SESSION, key);
    return (await this.#redis.ask(isCountOrNone, 'replaceSession', name, version, sealed)) === 1;
  }

  async remove(key: string, version?: number): Promise<boolean> {
    const name = this.#name(SESSION, key);
    return (await this.#askSurely(isCountOrNone, 'removeSession', name, version ?? '')) === 1;
  }

  async end(key: string, cause: EndingCause): Promise<boolean> {
    const isRemoved = await this.remove(key);
    if (isRemoved) await this.#index.noteEnding(key, cause);
    return isRemoved;
  }

  endings(since: number): Promise<readonly Ending[]> {
    return this.#index.endings(since);
  }

  ofAccount(account: string): Promise<readonly string[]> {
    return this.#index.ofAccount(account);
  }

  leaveAccount(account: string, key: string): void {
    this.#index.leave(account, key);
  }

  summary(key: string): Promise<ListedRecord | undefined> {
    return this.#index.summary(key);
  }

  list(): AsyncIterable<readonly ListedRecord[]> {
    return this.#index.list();
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

  /** Writes, because a full or read-only Redis still answers a PING; in a cluster, to each master. */
  async ping(): Promise<void> {
    await Promise.all(this.#pings().map((name) => this.#redis.ask(isOne, 'setMark', name, PING_MS)));
    this.#health.recover();
  }

  async reach(): Promise<void> {
    await Promise.all(this.#pings().map((name) => this.#redis.ask(isTimeLeft, 'timeLeft', name)));
  }

  /**
   * Tells other instances by which settings this one treats sessions, and reports once when those of another one
   * differ. At the same time it tries a write, so that what is known of Redis is true even without any call.
   */
  announce(settings: string): void {
    const reported = new Set<string>();
    const announce = async (): Promise<void> => {
      await this.ping();
      const last = await this.#redis.ask(isString, 'announce', SETTINGS, settings, 3 * ANNOUNCE_MS);
      const names = differences(settings, last).join(', ');
      if (names === '' || reported.has(names)) return;
      reported.add(names);
      this.#health.report(
        `Another instance on the same Redis has other values, by which each treats the sessions of both: ${names}`,
      );
    };
    const attempt = (): void => void announce().catch(() => undefined);
    attempt();
    this.#announcements = setInterval(attempt, ANNOUNCE_MS).unref();
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
    return recordLoginsInRedis(this.#redis, this.#isCluster);
  }

  /** Unknown: Redis would have to scan all of its keys. */
  count(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    clearInterval(this.#announcements);
    this.#redis.close();
    this.#replicated?.close();
    return Promise.resolve();
  }

  /** For what must not be undone by a failover: the begin of a session, and its end. */
  #askSurely<T>(hasForm: ReplyForm<T>, script: ScriptName, ...parts: (string | number)[]): Promise<T> {
    if (this.#replicated === undefined) return this.#redis.ask(hasForm, script, ...parts);
    return this.#replicated.askReplicated(this.#replicas, hasForm, script, ...parts);
  }

  /** All that belongs to one session is in one slot of a cluster. */
  #name(prefix: string, key: string): string {
    return this.#isCluster ? `${prefix}{${key}}` : prefix + key;
  }

  #pings(): string[] {
    return this.#isCluster ? PING_TAGS.map((tag) => `${PING}:{${tag}}`) : [PING];
  }
}
