import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PlatformClient, type PlatformSession, SessionError } from 'portico/client';
import { type Beginning, type OpenSession, OpenSessions, type ServiceLogin } from './open-sessions.js';
import { type PresentedHandle, keyOf, KnownSessions } from './handle.js';
import { RecordSeal, RefusedRecords } from './record-seal.js';
import { SessionEndings } from './session-endings.service.js';
import { type PeekedRecord, SessionStore, type StoredRecord } from './store/session-store.js';

/** A record that is written more often than this while it is being removed is removed without looking at it. */
const MOST_REMOVALS = 5;

/** Each of them loses to a write of another instance, which then waits for its own next answer. */
const MOST_SAVES = 10;

/** How long another instance may take to store a renewed session: the pauses before each look. */
const PAUSES_MS = [0, 50, 100, 200, 400];

const NOT_OPENED = {
  unknown_format: 'was written by another version of Portico, in a form that this one does not know',
  unknown_key: 'was sealed with a key that is not in SESSION_KEYS',
};

/** How many expired sessions are remembered, and for how long: an operation of a graph is several requests. */
const MOST_EXPIRED = 2000;
const EXPIRED_MS = 30_000;

/** An open session, and what the store holds of it. */
export interface FoundRecord<T extends StoredRecord> {
  readonly open: OpenSession;
  readonly found: T;
}

/** Stores platform sessions: seals them before a write, and opens them by their handle after a read. */
@Injectable()
export class SealedSessions {
  readonly #logger = new Logger(SealedSessions.name);
  readonly #open: OpenSessions;
  /** Why sessions expired here lately, by store key. */
  readonly #expired = new LRUCache<string, SessionError>({ max: MOST_EXPIRED, ttl: EXPIRED_MS });

  constructor(
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly seal: RecordSeal,
    client: PlatformClient,
    private readonly refused: RefusedRecords,
    private readonly known: KnownSessions,
    @Optional() private readonly endings?: SessionEndings,
  ) {
    this.#open = new OpenSessions(seal, client);
  }

  /**
   * Stores a session under a new handle.
   *
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async create(session: PlatformSession, beginning: Beginning): Promise<OpenSession> {
    const open = this.#open.begin(session, beginning);
    open.expiresAt = await this.store.create(open.key, open.stored.sealed, open.account);
    this.#open.keep(open);
    this.known.add(open.key, open.account);
    this.endings?.used(open);
    await this.endings?.keepLimit(open);
    return open;
  }

  /**
   * The session of a handle. The store is always asked.
   *
   * @throws SessionError if there is none.
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  load(presented: PresentedHandle | undefined): Promise<FoundRecord<StoredRecord>> {
    return this.#find(presented, (key) => this.store.read(key));
  }

  /**
   * Like {@link load}, but does not restart the session's idle time.
   *
   * @throws SessionError if there is none.
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  look(presented: PresentedHandle | undefined): Promise<FoundRecord<PeekedRecord>> {
    return this.#find(presented, (key) => this.store.peek(key));
  }

  /**
   * Updates an open session to the version in the store.
   *
   * @throws SessionError if it is gone.
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async refresh(open: OpenSession): Promise<void> {
    const found = await this.store.read(open.key);
    if (found !== undefined && this.#open.update(open, found)) return;
    if (found !== undefined) await this.#refuse(open.key, found);
    throw noSession();
  }

  /**
   * Whether another version has replaced one that the platform rejected. Other instances get some time to store it,
   * because the rejection may arrive before the answer that renewed the session.
   *
   * @param mayWait false if it does no harm to miss such a version.
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async isReplaced(open: OpenSession, rejectedVersion: number, mayWait: boolean): Promise<boolean> {
    try {
      for (const milliseconds of mayWait && this.store.isShared === true ? PAUSES_MS : [0]) {
        if (open.stored.version !== rejectedVersion) return true;
        if (milliseconds > 0) await pause(milliseconds);
        await this.refresh(open);
      }
      return open.stored.version !== rejectedVersion;
    } catch (error) {
      if (error instanceof SessionError) return false;
      throw error;
    }
  }

  /**
   * Stores a change. If another version has been stored meanwhile, the change is added to that; it is dropped if
   * the session is gone, or logged in again. Resolves with whether there was a change.
   *
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  save(open: OpenSession): Promise<boolean> {
    if (open.session.revision === open.stored.revision) return Promise.resolve(false);
    const saving = open.writing.then(() => this.#saveIfChanged(open));
    open.writing = saving.then(ignore, ignore);
    return saving;
  }

  /**
   * Stores another platform session in place of the one that was read; false if another version has been stored
   * meanwhile, or the session is gone.
   *
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async replaceLogin(open: OpenSession, session: PlatformSession, service: ServiceLogin): Promise<boolean> {
    const { version } = open.stored;
    const replaced = this.#open.version({ ...open, session, service }, version + 1);
    if (!(await this.store.replace(open.key, version, replaced.sealed))) return false;
    if (open.stored.version <= version) this.#open.adopt(open, replaced.saved, service, replaced);
    this.endings?.used(open);
    return true;
  }

  /**
   * Ends a session that its caller no longer wants, whatever has been written since it was loaded. `open` then
   * holds the platform session of the removed record, since a new login may have replaced it. If the record is
   * already gone, `open` keeps the last known one: the store's answer to an earlier removal may have been lost.
   *
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async end(open: OpenSession): Promise<void> {
    try {
      for (let removals = 0; removals < MOST_REMOVALS; removals += 1) {
        if (await this.store.remove(open.key, open.stored.version)) return;
        await this.refresh(open);
      }
      await this.store.remove(open.key);
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      await this.store.remove(open.key);
    } finally {
      this.#forget(open);
    }
  }

  /**
   * Ends a session that the platform has rejected, if the rejected version is still the current one. Resolves with
   * whether this call removed it.
   *
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async expire(open: OpenSession, rejectedVersion: number, reason: unknown): Promise<boolean> {
    // Before the removal: other requests may look for the session meanwhile.
    if (reason instanceof SessionError) this.#expired.set(open.key, reason);
    const isRemoved = await this.store.remove(open.key, rejectedVersion);
    if (isRemoved || (await this.store.read(open.key)) === undefined) this.#forget(open);
    else this.#expired.delete(open.key);
    return isRemoved;
  }

  /** Why the session of a handle expired here within the last half minute; undefined if it did not. */
  expiredLately(presented: PresentedHandle | undefined): SessionError | undefined {
    return presented && this.#expired.get(keyOf(presented));
  }

  #forget(open: OpenSession): void {
    open.hasEnded = true;
    this.#open.forget(open.key);
    this.endings?.gone(open);
  }

  async #saveIfChanged(open: OpenSession): Promise<boolean> {
    for (let writes = 0; writes < MOST_SAVES; writes += 1) {
      const saved = await this.#saveOnce(open);
      if (saved !== 'late') return saved === 'stored' || writes > 0;
      if (!(await this.#isStill(open))) return true;
    }
    return true;
  }

  /** Whether a session is still there. Takes what another instance has stored. */
  async #isStill(open: OpenSession): Promise<boolean> {
    try {
      await this.refresh(open);
      return true;
    } catch (error) {
      if (error instanceof SessionError) return false;
      throw error;
    }
  }

  async #saveOnce(open: OpenSession): Promise<'same' | 'stored' | 'late'> {
    const { session, stored, unconfirmed } = open;
    if (session.revision === stored.revision) return 'same';
    const { revision } = session;
    if (session.json() === stored.saved) {
      open.stored = { ...stored, revision };
      return 'same';
    }
    // A write whose answer was lost is sent again unchanged, so that it counts once.
    const isSame = unconfirmed?.revision === revision && unconfirmed.version === stored.version + 1;
    const next = isSame ? unconfirmed : this.#open.version(open, stored.version + 1);
    open.unconfirmed = next;
    const isStored = await this.store.replace(open.key, stored.version, next.sealed);
    // Otherwise a read has found this or another version in the meantime.
    if (open.unconfirmed === next) {
      open.unconfirmed = undefined;
      if (isStored) open.stored = next;
    }
    if (isStored) this.endings?.used(open);
    return isStored ? 'stored' : 'late';
  }

  async #find<T extends StoredRecord>(
    presented: PresentedHandle | undefined,
    read: (key: string) => Promise<T | undefined>,
  ): Promise<FoundRecord<T>> {
    if (presented === undefined) throw noSession();
    const { handle, transport } = presented;
    const key = keyOf(presented);
    const found = await read(key);
    if (found === undefined) {
      this.#open.forget(key);
      throw noSession();
    }
    const open = this.#open.take(handle, key, found);
    if (open === undefined) {
      await this.#refuse(key, found);
      throw noSession();
    }
    if (open.transport !== transport) throw noSession();
    this.known.add(key, open.account);
    this.endings?.used(open);
    return { open, found };
  }

  /**
   * A record sealed by an unknown key may still open once the operator has put that key back, and one of another
   * form by the version that wrote it. A changed record never will.
   */
  async #refuse(key: string, { sealed, version }: StoredRecord): Promise<void> {
    this.#open.forget(key);
    const refusal = this.seal.refusalOf(sealed);
    if (refusal === 'not_authentic') {
      if (!(await this.store.remove(key, version))) return;
      this.refused.add(refusal);
      this.#logger.error('A stored session is not what this service stored there: it has been removed');
    } else if (this.refused.add(refusal) === 1) {
      this.#logger.warn(`A stored session ${NOT_OPENED[refusal]}: it cannot be opened, and stays`);
    }
  }
}

function ignore(): void {
  return;
}

function noSession(): SessionError {
  return new SessionError('There is no session: log in first');
}
