import { connectRedis, type RedisConnection } from './redis-connection.js';
import { redisFault } from './redis-fault.js';
import { SessionStoreUnavailableError } from '../../errors/session-store-unavailable-error.js';
import {
  type LeaseState,
  type SessionLife,
  type SessionStore,
  type StoredSession,
  TOUCH_AFTER,
} from './session-store.js';

const SESSION = 'portico:session:';
const LEASE = 'portico:lease:';
const PING = 'portico:ping';
const PING_MS = 1000;

/** Sessions in Redis, for any number of instances. Redis keeps the time, and expires sessions by itself. */
export class RedisSessionStore implements SessionStore {
  private readonly idle: number;
  private readonly max: number;

  private constructor(
    private readonly redis: RedisConnection,
    life: SessionLife,
  ) {
    this.idle = life.idleSeconds * 1000;
    this.max = life.maxSeconds * 1000;
  }

  /**
   * Connects, and goes on trying in the background: while there is no Redis, each call fails within 250 ms.
   *
   * @param url `redis://` or, with TLS, `rediss://`; may hold user, password and database.
   * @param report told, without any secret, what an operator should know.
   */
  static async open(
    url: string,
    life: SessionLife,
    report: (message: string) => void = () => undefined,
  ): Promise<RedisSessionStore> {
    return new RedisSessionStore(await connectRedis(url, report), life);
  }

  async create(key: string, sealed: string): Promise<number> {
    const created = this.redis.createSession(SESSION + key, sealed, this.idle, this.max);
    const expiresAt = await answered(created);
    if (expiresAt === null) throw new SessionStoreUnavailableError('the key is taken');
    return Number(expiresAt);
  }

  async read(key: string): Promise<StoredSession | undefined> {
    const gain = this.idle * TOUCH_AFTER;
    const found = await answered(this.redis.readSession(SESSION + key, this.idle, this.max, gain));
    if (found === null) return undefined;
    const [version, expiresAt, sealed] = found;
    return { version: Number(version), expiresAt: Number(expiresAt), sealed };
  }

  async replace(key: string, version: number, sealed: string): Promise<boolean> {
    return (await answered(this.redis.replaceSession(SESSION + key, version, sealed))) === 1;
  }

  async remove(key: string, version?: number): Promise<boolean> {
    return (await answered(this.redis.removeSession(SESSION + key, version ?? ''))) === 1;
  }

  lease(key: string, holder: string, milliseconds: number): Promise<LeaseState> {
    return answered(this.redis.leaseSession(LEASE + key, holder, milliseconds));
  }

  async settle(key: string, holder: string, milliseconds: number): Promise<boolean> {
    return (await answered(this.redis.settleSession(LEASE + key, holder, milliseconds))) === 1;
  }

  /** A write: a full or read-only Redis answers a mere PING. */
  async ping(): Promise<void> {
    await answered(this.redis.set(PING, '', 'PX', PING_MS));
  }

  close(): Promise<void> {
    this.redis.disconnect();
    return Promise.resolve();
  }
}

/** The errors of the client hold the command with all that was sent; none of it goes on. */
async function answered<T>(command: Promise<T>): Promise<T> {
  try {
    return await command;
  } catch (error) {
    throw new SessionStoreUnavailableError(redisFault(error));
  }
}
