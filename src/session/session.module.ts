import {
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Observation } from '../logging/observation.js';
import { type AnswerReuse } from './store/in-flight.js';
import { RefusedRecords } from './refused-records.js';
import { RecordSeal } from './sealed-record.js';
import { SealedSessions } from './sealed-sessions.service.js';
import { sessionKeys, type SessionKeys } from './session-keys.js';
import { LoginRecords } from './store/login-records.js';
import { observedStore } from './observed-store.js';
import { SessionStore } from './store/session-store.js';
import { backendFile, StoreBackend } from './store/store-backend.js';
import {
  AuthPayloadSessionResolver,
  ExtendPayloadSessionResolver,
  SessionResolver,
} from './session.resolver.js';
import { SessionRenewal } from './session-renewal.service.js';
import { ReadReuse, SessionService } from './session.service.js';

const SESSION_KEYS = Symbol('SessionKeys');

/** The most JSON that is kept for `READ_REUSE_MS`: about 100 MB of memory. */
const MOST_REUSED_CHARACTERS = 32 * 1024 * 1024;

async function storeBackend(settings: Settings): Promise<StoreBackend> {
  const logger = new Logger('SessionStore');
  const { open } = await backendFile(settings.SESSION_STORE);
  return open(settings, (message) => {
    logger.warn(message);
  });
}

@Module({
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
    { provide: StoreBackend, inject: [Settings], useFactory: storeBackend },
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
    { provide: LoginRecords, inject: [StoreBackend], useFactory: ({ logins }: StoreBackend) => logins },
    RefusedRecords,
    SealedSessions,
    SessionRenewal,
    SessionService,
    SessionResolver,
    AuthPayloadSessionResolver,
    ExtendPayloadSessionResolver,
  ],
  exports: [SessionService, SessionStore, LoginRecords, RefusedRecords],
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
