import { LRUCache } from 'lru-cache';
import { type PlatformClient, type PlatformSession } from 'portico/client';
import { mergedSnapshot } from './merged-snapshot.js';
import {
  type Beginning,
  type OpenSession,
  type ServiceLogin,
  type SessionRecord,
  type StoredVersion,
} from './open-session.js';
import { newHandle, storeKey } from './handle.js';
import { type RecordSeal } from './record-seal.js';
import { type StoredRecord } from './store/session-store.js';

/** How many open sessions are kept, and for how long after their last use. Their memory: docs/operations.md. */
const MOST_OPEN = 2000;
const OPEN_MS = 20_000;

/** No session has this revision, so the record is written again at the next use. */
const OUTDATED = -1;

/** What stays the same as long as a session lives. */
type Place = Pick<OpenSession, 'handle' | 'key' | 'transport' | 'account' | 'startedAt'>;

/**
 * The open sessions of this process, one per stored record. The store is asked at every request; if it still holds
 * the sealed bytes that were opened last, the open session is used as it is.
 */
export class OpenSessions {
  readonly #kept = new LRUCache<string, OpenSession>({
    max: MOST_OPEN,
    ttl: OPEN_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  });
  readonly #seal: RecordSeal;
  readonly #client: PlatformClient;

  constructor(seal: RecordSeal, client: PlatformClient) {
    this.#seal = seal;
    this.#client = client;
  }

  /** A session under a new handle. It is kept here once it is stored. */
  begin(session: PlatformSession, { transport, account, profile }: Beginning): OpenSession {
    const handle = newHandle();
    const service = profile === undefined ? undefined : { profile, logins: 1 };
    const place = { handle, key: storeKey(handle), transport, account, startedAt: Date.now() };
    return opened(place, session, service, this.version({ ...place, session, service }, 1));
  }

  keep(open: OpenSession): void {
    this.#kept.set(open.key, open);
  }

  /** Drops a session from memory, with the key that opens its record. */
  forget(key: string): void {
    this.#kept.delete(key);
    this.#seal.forget(key);
  }

  /** The open session of a stored record; undefined if the record cannot be opened. */
  take(handle: string, key: string, found: StoredRecord): OpenSession | undefined {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return this.update(kept, found) ? kept : undefined;
    const record = this.#record(handle, key, found);
    if (record === undefined) return undefined;
    const { transport, startedAt, account, service, snapshot } = record;
    const session = this.#client.restoreSession(snapshot);
    const open = opened(
      { handle, key, transport, account, startedAt },
      session,
      service,
      this.#stored(session, found),
    );
    open.expiresAt = found.expiresAt;
    this.keep(open);
    return open;
  }

  /** Updates an open session from a stored record; false if the record cannot be opened. */
  update(open: OpenSession, found: StoredRecord): boolean {
    const { stored, unconfirmed } = open;
    open.expiresAt = found.expiresAt;
    // It was read before this process wrote a newer version.
    if (found.version < stored.version || isSame(found, stored)) return true;
    if (unconfirmed !== undefined && isSame(found, unconfirmed)) {
      open.stored = unconfirmed;
      open.unconfirmed = undefined;
      return true;
    }
    const record = this.#record(open.handle, open.key, found);
    if (record === undefined) return false;
    this.adopt(open, JSON.stringify(record.snapshot), record.service, found);
    return true;
  }

  /**
   * Replaces the open state with that of a stored version. Of the same login it keeps what has been learned since
   * the version that was open and is not stored yet.
   */
  adopt(
    open: OpenSession,
    snapshot: string,
    service: ServiceLogin | undefined,
    found: Pick<StoredRecord, 'version' | 'sealed'>,
  ): void {
    const { session, stored } = open;
    const isSameSession = service?.logins === open.service?.logins;
    const hasLearned = isSameSession && session.revision !== stored.revision && stored.saved !== '';
    const own = hasLearned ? session.json() : undefined;
    session.updateFromJson(snapshot, { isSameSession });
    open.service = service;
    open.stored = this.#stored(session, found);
    open.unconfirmed = undefined;
    if (own === undefined) return;
    const theirs = session.json();
    const both = mergedSnapshot(stored.saved, own, theirs);
    if (both !== theirs) session.updateFromJson(both, { isSameSession });
  }

  /** The open state, sealed as a version of the record. */
  version(open: Place & Pick<OpenSession, 'session' | 'service'>, version: number): StoredVersion {
    const { handle, key, transport, account, startedAt, session, service } = open;
    const { revision } = session;
    const snapshot = session.toDict();
    const record: SessionRecord = { transport, startedAt, account, service, snapshot };
    const sealed = this.#seal.seal(JSON.stringify(record), { handle, storeKey: key, version });
    return { version, sealed, saved: JSON.stringify(snapshot), revision };
  }

  #record(handle: string, key: string, { sealed, version }: StoredRecord): SessionRecord | undefined {
    const text = this.#seal.open(sealed, { handle, storeKey: key, version });
    return text === undefined ? undefined : (JSON.parse(text) as SessionRecord);
  }

  #stored(
    session: PlatformSession,
    { version, sealed }: Pick<StoredRecord, 'version' | 'sealed'>,
  ): StoredVersion {
    if (this.#seal.isOld(sealed)) return { version, sealed, saved: '', revision: OUTDATED };
    return { version, sealed, saved: session.json(), revision: session.revision };
  }
}

/** Sealed bytes are bound to their version and do not open under another one. */
function isSame(found: StoredRecord, { version, sealed }: StoredVersion): boolean {
  return found.version === version && found.sealed === sealed;
}

function opened(
  place: Place,
  session: PlatformSession,
  service: ServiceLogin | undefined,
  stored: StoredVersion,
): OpenSession {
  return {
    ...place,
    session,
    service,
    stored,
    expiresAt: 0,
    unconfirmed: undefined,
    writing: Promise.resolve(),
    hasEnded: false,
  };
}
