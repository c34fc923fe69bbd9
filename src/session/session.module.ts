import {
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Observation } from '../logging/observation.js';
import { RecordSeal, RefusedRecords } from './record-seal.js';
import { type AnswerReuse } from './request-coalescer.js';
import { PlatformLogout } from './platform-logout.service.js';
import { SealedSessions } from './sealed-sessions.service.js';
import { sessionKeys, type SessionKeys } from './session-keys.js';
import { SessionStore } from './store/session-store.js';
import { SessionStoreModule } from './store/session-store.module.js';
import { StoreBackend } from './store/store-backend.js';
import {
  AuthPayloadSessionResolver,
  ExtendPayloadSessionResolver,
  SessionResolver,
} from './session.resolver.js';
import { SessionRunner } from './session-runner.service.js';
import { ReadReuse, SessionService } from './session.service.js';

const SESSION_KEYS = Symbol('SessionKeys');

/** The most JSON that is kept for `READ_REUSE_MS`: about 100 MB of memory. */
const MOST_REUSED_CHARACTERS = 32 * 1024 * 1024;

/** The same store, with each operation as a step that observers can time. */
function observedStore(store: SessionStore, observation: Observation): SessionStore {
  const observed = <T>(operation: string, work: () => Promise<T>): Promise<T> =>
    observation.step({ kind: 'session_store', operation }, work);
  return {
    ...(store.isShared !== undefined && { isShared: store.isShared }),
    create: (key, sealed) => observed('create', () => store.create(key, sealed)),
    read: (key) => observed('read', () => store.read(key)),
    peek: (key) => observed('peek', () => store.peek(key)),
    noteUse: (key, at, timeoutMs) => {
      store.noteUse(key, at, timeoutMs);
    },
    replace: (key, version, sealed) => observed('replace', () => store.replace(key, version, sealed)),
    remove: (key, version) => observed('remove', () => store.remove(key, version)),
    lease: (key, holder, milliseconds) => observed('lease', () => store.lease(key, holder, milliseconds)),
    settle: (key, holder, milliseconds) => observed('settle', () => store.settle(key, holder, milliseconds)),
    now: () => store.now(),
    ping: () => observed('ping', () => store.ping()),
    count: () => store.count(),
    close: () => store.close(),
  };
}

@Module({
  imports: [SessionStoreModule],
  providers: [
    {
      provide: SESSION_KEYS,
      inject: [Settings],
      useFactory: (settings: Settings) => sessionKeys(settings.SESSION_KEYS, settings.SESSION_STORE_PATH),
    },
    {
      provide: RecordSeal,
      inject: [SESSION_KEYS],
      useFactory: ({ keys }: SessionKeys) => new RecordSeal(keys),
    },
    {
      provide: SessionStore,
      inject: [StoreBackend, Observation],
      useFactory: ({ sessions }: StoreBackend, observation: Observation) =>
        observedStore(sessions, observation),
    },
    {
      provide: ReadReuse,
      inject: [Settings],
      useFactory: ({ READ_REUSE_MS }: Settings): AnswerReuse => ({
        milliseconds: READ_REUSE_MS,
        mostCharacters: MOST_REUSED_CHARACTERS,
      }),
    },
    RefusedRecords,
    SealedSessions,
    PlatformLogout,
    SessionRunner,
    SessionService,
    SessionResolver,
    AuthPayloadSessionResolver,
    ExtendPayloadSessionResolver,
  ],
  exports: [PlatformLogout, SessionService, SessionStore, SessionStoreModule, RefusedRecords],
})
export class SessionModule implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger(SessionModule.name);

  constructor(
    @Inject(SESSION_KEYS) private readonly keys: SessionKeys,
    @Inject(SessionStore) private readonly store: SessionStore,
  ) {}

  onApplicationBootstrap(): void {
    if (this.keys.file === undefined) return;
    this.#logger.warn(
      `SESSION_KEYS is not set: sessions are sealed with the keys in ${this.keys.file}, which no other instance has`,
    );
  }

  /** Runs last: by now all requests have been answered. */
  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
