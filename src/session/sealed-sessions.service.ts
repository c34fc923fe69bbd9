import { Inject, Injectable, Logger } from '@nestjs/common';
import { PlatformClient, type PlatformSession, SessionError } from '../client/index.js';
import { newHandle, storeKey } from './sealed/handle.js';
import { type OpenSession } from './open-session.js';
import { type PresentedHandle } from './request-context.js';
import { RefusedRecords } from './sealed/refused-records.js';
import { RecordSeal } from './sealed/sealed-record.js';
import { type HandleTransport, type ServiceLogin, type SessionRecord } from './session-record.js';
import { SessionStore, type StoredSession } from './store/session-store.js';

/** A record that is written more often than this while it is being removed is removed whatever it holds. */
const MOST_REMOVALS = 5;

/** Platform sessions in the store: sealed on the way in, opened by their handle on the way out. */
@Injectable()
export class SealedSessions {
  private readonly logger = new Logger(SealedSessions.name);

  constructor(
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly seal: RecordSeal,
    private readonly client: PlatformClient,
    private readonly refused: RefusedRecords,
  ) {}

  /**
   * Stores a session under a new handle.
   *
   * @param service present for one that a credential profile opened.
   * @throws SessionStoreUnavailableError
   */
  async create(
    session: PlatformSession,
    transport: HandleTransport,
    service?: ServiceLogin,
  ): Promise<OpenSession> {
    const handle = newHandle();
    const begun = { ...begin(handle, session, transport, service), version: 1, saved: session.json() };
    const expiresAt = await this.store.create(begun.key, this.sealed(begun, 1));
    return { ...begun, expiresAt };
  }

  /**
   * The session of a handle.
   *
   * @throws SessionError where there is none.
   * @throws SessionStoreUnavailableError
   */
  async load(presented: PresentedHandle | undefined): Promise<OpenSession> {
    if (presented === undefined) throw noSession();
    const { handle, transport } = presented;
    const key = storeKey(handle);
    const stored = await this.store.read(key);
    if (stored === undefined) throw noSession();
    const { version, expiresAt, sealed } = stored;
    const text = this.seal.open(sealed, { handle, storeKey: key, version });
    if (text === undefined) {
      await this.refuse(key, stored);
      throw noSession();
    }
    const record = JSON.parse(text) as SessionRecord;
    if (record.transport !== transport) throw noSession();
    const session = this.client.restoreSession(record.snapshot);
    const saved = this.seal.isOld(sealed) ? '' : session.json();
    return { ...begin(handle, session, transport, record.service), version, expiresAt, saved };
  }

  /**
   * Stores what has changed, if the session is still the version that was read: what is late does not count.
   *
   * @throws SessionStoreUnavailableError
   */
  save(open: OpenSession): Promise<void> {
    return (open.writing = open.writing.then(() => this.saveIfChanged(open)));
  }

  /**
   * Stores another platform session in place of the one that was read, and gives it; undefined if another version has
   * been stored meanwhile, or none is there any more.
   *
   * @throws SessionStoreUnavailableError
   */
  async replaceLogin(
    open: OpenSession,
    session: PlatformSession,
    service: ServiceLogin,
  ): Promise<OpenSession | undefined> {
    const version = open.version + 1;
    const replaced = { ...open, session, service, version, saved: session.json() };
    const done = await this.store.replace(open.key, open.version, this.sealed(replaced, version));
    return done ? replaced : undefined;
  }

  /**
   * Removes a session, whatever has been written since it was loaded. Gives the platform session of the record that was
   * removed: a new login may have put another one there. Where the record is gone already it is the last one known,
   * since an answer of the store may have been lost.
   *
   * @throws SessionStoreUnavailableError
   */
  async remove(open: OpenSession): Promise<PlatformSession> {
    let last = open;
    try {
      for (let removals = 0; removals < MOST_REMOVALS; removals += 1) {
        if (await this.store.remove(last.key, last.version)) return last.session;
        last = await this.load(last);
      }
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
    }
    await this.store.remove(last.key);
    return last.session;
  }

  private async saveIfChanged(open: OpenSession): Promise<void> {
    const saved = open.session.json();
    if (saved === open.saved) return;
    const version = open.version + 1;
    if (!(await this.store.replace(open.key, open.version, this.sealed(open, version)))) return;
    open.version = version;
    open.saved = saved;
  }

  /** One of an unknown key may be opened yet, when the operator has put that key back; one that was changed never will. */
  private async refuse(key: string, { sealed, version }: StoredSession): Promise<void> {
    if (this.seal.isOfKnownKey(sealed)) {
      if (!(await this.store.remove(key, version))) return;
      this.refused.add('not_authentic');
      this.logger.error('A stored session was not what this service had stored there: it has been removed');
    } else if (this.refused.add('unknown_key') === 1) {
      this.logger.warn(
        'A stored session was sealed by a key that SESSION_KEYS does not hold: it stays closed',
      );
    }
  }

  private sealed(
    { handle, key, session, transport, service }: Omit<OpenSession, 'expiresAt'>,
    version: number,
  ): string {
    const record: SessionRecord = { transport, service, snapshot: session.toDict() };
    return this.seal.seal(JSON.stringify(record), { handle, storeKey: key, version });
  }
}

function begin(
  handle: string,
  session: PlatformSession,
  transport: HandleTransport,
  service: ServiceLogin | undefined,
): Omit<OpenSession, 'version' | 'expiresAt' | 'saved'> {
  return { handle, key: storeKey(handle), transport, session, service, writing: Promise.resolve() };
}

function noSession(): SessionError {
  return new SessionError('There is no session: log in first');
}
