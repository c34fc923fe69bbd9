import { LRUCache } from 'lru-cache';
import { type PlatformClient, type PlatformSession, type SessionSnapshot } from 'portico/client';
import { mergedSnapshot } from './merged-snapshot.js';
import { type HandleTransport, newHandle, storeKey } from './handle.js';
import { type RecordSeal } from './record-seal.js';
import { type StoredRecord } from './store/session-store.js';

/** How many open sessions are kept, and for how long after their last use. Their memory: docs/operations.md. */
const MOST_OPEN = 2000;
const OPEN_MS = 20_000;

/** No session has this revision, so the record is written again at the next use. */
const OUTDATED = -1;

/** What stays the same as long as a session lives. */
type Place = Pick<OpenSession, 'handle' | 'key' | 'transport' | 'account' | 'startedAt' | 'about'>;

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
  begin(session: PlatformSession, { transport, account, profile, network = '' }: Beginning): OpenSession {
    const handle = newHandle();
    const service = profile === undefined ? undefined : { profile, logins: 1 };
    const startedAt = Date.now();
    const about = formatAbout({ transport, startedAt, network });
    const place = { handle, key: storeKey(handle), transport, account, startedAt, about };
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
      { handle, key, transport, account, startedAt, about: found.sealed.split('.')[3] ?? '' },
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
    const { handle, key, transport, account, startedAt, about, session, service } = open;
    const { revision } = session;
    const saved = session.json();
    const record: Omit<SessionRecord, 'snapshot'> = { transport, startedAt, account, service };
    // The snapshot is made into text once.
    const text = `${JSON.stringify(record).slice(0, -1)},"snapshot":${saved}}`;
    const sealed = this.#seal.seal(text, { handle, storeKey: key, version }, about);
    return { version, sealed, saved, revision };
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

/** How a session begins. */
export interface Beginning {
  readonly transport: HandleTransport;
  /**
   * A hash of who logged in, the same for all sessions of one account; undefined for a guest and a delegated
   * session.
   */
  readonly account?: string | undefined;
  /** The credential profile that opened it and can log it in again. */
  readonly profile?: string | undefined;
  /** From where: an IPv4 address, or the first 64 bits of an IPv6 address. */
  readonly network?: string | undefined;
}

/** What an operator may see of a session. */
interface SessionAbout {
  readonly transport: HandleTransport;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly network: string;
}

/** Writes it without dots, which part what is in a record. */
function formatAbout({ transport, startedAt, network }: SessionAbout): string {
  return `${transport === 'bearer' ? 'b' : 'c'}~${startedAt.toString(36)}~${network.replaceAll('.', '_')}`;
}

/**
 * What is beside a sealed record, for people alone: it may have been changed by others. Undefined for earlier
 * versions.
 */
export function parseAbout(sealed: string): SessionAbout | undefined {
  const [, kind, startedAt = '', network = ''] =
    /^([bc])~([0-9a-z]{1,10})~([\w:]{0,64})$/.exec(sealed.split('.')[3] ?? '') ?? [];
  if (kind === undefined) return undefined;
  return {
    transport: kind === 'b' ? 'bearer' : 'cookie',
    startedAt: Number.parseInt(startedAt, 36),
    network: network.replaceAll('_', '.'),
  };
}

/** What a session needs to log in again. Only a session that a credential profile opened has it. */
export interface ServiceLogin {
  readonly profile: string;
  /** Counts the logins of this session, from 1. The record with the higher count has the newer platform session. */
  readonly logins: number;
}

/** One whole session, as it is sealed in the store. */
interface SessionRecord {
  readonly transport: HandleTransport;
  readonly snapshot: SessionSnapshot;
  readonly service?: ServiceLogin | undefined;
  /** A hash of who logged in; absent for guests, delegated sessions, and records from earlier versions. */
  readonly account?: string | undefined;
  /** Milliseconds since the epoch; records from earlier versions have none. */
  readonly startedAt?: number | undefined;
}

/** One stored version of a session. */
interface StoredVersion {
  readonly version: number;
  /** The sealed record. */
  readonly sealed: string;
  /** The snapshot that the record contains, as JSON. */
  readonly saved: string;
  /** The `revision` of the platform session when the snapshot was taken. */
  readonly revision: number;
}

/**
 * An open session. All requests of this process with its handle share it, so all of them see a renewed token
 * immediately. Times are in milliseconds since the epoch.
 */
export interface OpenSession {
  readonly handle: string;
  readonly key: string;
  readonly transport: HandleTransport;
  readonly session: PlatformSession;
  /** The absolute end of the handle. */
  expiresAt: number;
  /** By the clock of the instance where it began; undefined for a record of an earlier version. */
  readonly startedAt: number | undefined;
  /** What an operator may see of it, as it is written beside the sealed record; '' in records of earlier versions. */
  readonly about: string;
  /** A hash of who logged in; undefined for guests, delegated sessions, and records of an earlier version. */
  readonly account: string | undefined;
  /** Present when a credential profile opened the session. */
  service: ServiceLogin | undefined;
  /** The version that is known to be stored. */
  stored: StoredVersion;
  /** A write that the store has not confirmed. It may or may not have been done. */
  unconfirmed: StoredVersion | undefined;
  /** The last write of the session: writes run one after another. Never rejects. */
  writing: Promise<void>;
  /** Whether the session was found to be gone. */
  hasEnded: boolean;
}
