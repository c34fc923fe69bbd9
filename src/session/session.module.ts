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
import { SessionEndings } from './session-endings.service.js';
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
  const observed = <K extends Observed>(operation: K): SessionStore[K] => {
    const step = { kind: 'session_store', operation } as const;
    const call = store[operation].bind(store) as (...given: unknown[]) => Promise<never>;
    return (...given: unknown[]) => observation.step(step, () => call(...given));
  };
  return {
    ...(store.isShared !== undefined && { isShared: store.isShared }),
    create: observed('create'),
    read: observed('read'),
    peek: observed('peek'),
    noteUse: store.noteUse.bind(store),
    replace: observed('replace'),
    remove: observed('remove'),
    end: observed('end'),
    endings: store.endings.bind(store),
    ofAccount: observed('ofAccount'),
    leaveAccount: store.leaveAccount.bind(store),
    summary: store.summary.bind(store),
    list: store.list.bind(store),
    lease: observed('lease'),
    settle: observed('settle'),
    now: store.now.bind(store),
    ping: observed('ping'),
    reach: observed('reach'),
    count: store.count.bind(store),
    close: store.close.bind(store),
  };
}

/** The operations that are steps. */
type Observed = Exclude<
  keyof SessionStore,
  'isShared' | 'noteUse' | 'endings' | 'leaveAccount' | 'summary' | 'list' | 'now' | 'count' | 'close'
>;

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
    SessionEndings,
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
