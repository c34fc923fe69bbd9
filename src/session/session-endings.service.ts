import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PlatformClient, type PlatformSession } from 'portico/client';
import { Settings } from '../config/settings.js';
import { Observation, type SessionEvent } from '../logging/observation.js';
import { type OpenSession } from './open-sessions.js';
import { PlatformLogout } from './platform-logout.service.js';
import { type Ending, type EndingCause, ENDINGS_KEPT_MS, SessionStore } from './store/session-store.js';

/** How often it is looked which sessions are over. */
const LOOK_MS = 2000;
/** What a logout of the platform needs is kept for at most this many sessions, about 600 bytes each. */
const MOST_KEPT = 20_000;
/** How many sessions that are over are looked at in one turn. */
const MOST_AT_ONCE = 100;
/** An instance that did not use a session leaves its end to the others for this long. */
const OTHERS_FIRST_MS = 2 * LOOK_MS;
/** An account that has fewer sessions is not asked again whether it has more. */
const MANY_OF_ACCOUNT = 16;

/** What a logout of the platform needs, and until when the session lives if it is not used again. */
interface Kept {
  readonly version: number;
  readonly snapshot: string;
  until: number;
}

/**
 * Ends sessions for others than their callers, and logs out on the platform what has ended here: sessions whose time
 * is over, and sessions that an operator, a limit or another session of their account has ended. A stored record
 * opens only with its handle, so the instance that used a session last keeps in memory what its logout needs.
 */
@Injectable()
export class SessionEndings implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger('SessionEndings');
  /** The one that was used longest ago is first. */
  readonly #kept = new Map<string, Kept>();
  readonly #holder = randomUUID();
  readonly #done = new Set<string>();
  readonly #idle: number;
  /** In no request: what it reports has nothing to do with the one that is being served. */
  readonly #lookSoon = AsyncLocalStorage.bind(() => void this.look());
  #looks: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #since: number | undefined;

  constructor(
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly client: PlatformClient,
    private readonly platformLogout: PlatformLogout,
    private readonly observation: Observation,
    private readonly settings: Settings,
  ) {
    this.#idle = settings.SESSION_IDLE_SECONDS * 1000;
  }

  onApplicationBootstrap(): void {
    this.#looks = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.#looks);
    await this.#looking;
  }

  /** A session was begun, used or changed here. */
  used({ key, stored, expiresAt, session }: OpenSession): void {
    const until = Math.min(this.store.now() + this.#idle, expiresAt);
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    if (kept?.version === stored.version) {
      kept.until = until;
      this.#kept.set(key, kept);
      return;
    }
    const snapshot = stored.saved === '' ? session.json() : stored.saved;
    this.#kept.set(key, { version: stored.version, snapshot, until });
    if (this.#kept.size <= MOST_KEPT) return;
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      return;
    }
  }

  /** A session has ended, and its end is taken care of. */
  gone({ key, account }: Pick<OpenSession, 'key' | 'account'>): void {
    this.#kept.delete(key);
    if (account !== undefined) this.store.leaveAccount(account, key);
    void this.#claims(key).catch(() => undefined);
  }

  /** Ends the oldest sessions of an account that has begun more than `SESSIONS_MAX_PER_ACCOUNT`. Never fails. */
  async keepLimit({ account }: OpenSession): Promise<void> {
    const most = this.settings.SESSIONS_MAX_PER_ACCOUNT;
    if (account === undefined || most === undefined) return;
    try {
      const keys = await this.store.ofAccount(account);
      if (keys.length <= most) return;
      const living = await this.#living(account, keys);
      await this.#endAll(account, living.slice(0, Math.max(0, living.length - most)), 'account_limit');
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.#logger.warn(`The sessions of an account could not be looked through: ${reason}`);
    }
  }

  /**
   * Ends all sessions of an account.
   *
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async endEverywhere(account: string | undefined): Promise<void> {
    while (account !== undefined) {
      const keys = await this.store.ofAccount(account);
      await this.#endAll(account, keys, 'everywhere');
      // They leave one after the other, and an answer may come before the last of them has left.
      if (keys.length < MANY_OF_ACCOUNT) return;
    }
  }

  /** Logs out on the platform what has ended since the last look. Never fails. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const now = this.store.now();
    const endings = await this.store.endings(this.#since ?? now - ENDINGS_KEPT_MS);
    let isWaiting = false;
    for (const ending of endings) {
      if (!isWaiting) this.#since = ending.at;
      if (!(await this.#finish(ending, now))) isWaiting = true;
    }
    if (endings.length === 0) this.#done.clear();
    const over: [string, Kept][] = [];
    for (const [key, kept] of this.#kept) {
      if (kept.until <= now) over.push([key, kept]);
      if (over.length === MOST_AT_ONCE) break;
    }
    await Promise.all(over.map(([key, kept]) => this.#timeOut(key, kept)));
  }

  /** Whether there is nothing more to do for an ending. */
  async #finish({ key, cause, at }: Ending, now: number): Promise<boolean> {
    if (this.#done.has(key)) return true;
    const isKept = this.#kept.has(key);
    if (!isKept && now - at < OTHERS_FIRST_MS && this.store.isShared === true) return false;
    this.#done.add(key);
    const session = this.#take(key);
    if (!(await this.#claims(key))) return true;
    const event: SessionEvent = { kind: 'end', storeKey: key, cause };
    if (session === undefined) this.observation.tell('sessionEvent', event);
    else void this.platformLogout.end(session, event);
    return true;
  }

  async #timeOut(key: string, kept: Kept): Promise<void> {
    const found = await this.store.peek(key);
    if (found?.version === kept.version) {
      kept.until = found.idleExpiresAt;
      return;
    }
    const session = this.#take(key);
    // Another instance, which has changed it, has what its logout needs.
    if (found !== undefined || session === undefined || !(await this.#claims(key))) return;
    await this.platformLogout.end(session, { kind: 'timeout', storeKey: key });
  }

  /** Those that have not ended, the oldest first. */
  async #living(account: string, keys: readonly string[]): Promise<string[]> {
    const found = await Promise.all(keys.map((key) => this.store.peek(key)));
    keys
      .filter((_key, n) => found[n] === undefined)
      .forEach((key) => {
        this.store.leaveAccount(account, key);
      });
    return keys.filter((_key, n) => found[n] !== undefined);
  }

  async #endAll(account: string, keys: readonly string[], cause: EndingCause): Promise<void> {
    await Promise.all(
      keys.map(async (key) => {
        await this.store.end(key, cause);
        this.store.leaveAccount(account, key);
      }),
    );
    if (keys.length > 0) this.#lookSoon();
  }

  /** One instance takes care of the end of a session: the first. */
  async #claims(key: string): Promise<boolean> {
    if (this.store.isShared !== true) return true;
    const milliseconds = Math.max(this.#idle, ENDINGS_KEPT_MS);
    return (await this.store.lease(`${key} end`, this.#holder, milliseconds)) === 'taken';
  }

  #take(key: string): PlatformSession | undefined {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    return (
      kept &&
      this.client.restoreSession(JSON.parse(kept.snapshot) as Parameters<PlatformClient['restoreSession']>[0])
    );
  }
}
