import {
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { EmbeddedSessionStore } from './store/embedded-session-store.js';
import { RedisSessionStore } from './store/redis-session-store.js';
import { RefusedRecords } from './sealed/refused-records.js';
import { RecordSeal } from './sealed/sealed-record.js';
import { SealedSessions } from './sealed-sessions.service.js';
import { sessionKeys, type SessionKeys } from './sealed/session-keys.js';
import { SessionStore } from './store/session-store.js';
import {
  AuthPayloadSessionResolver,
  ExtendPayloadSessionResolver,
  SessionResolver,
} from './session.resolver.js';
import { SessionRenewal } from './session-renewal.service.js';
import { SessionService } from './session.service.js';

const SESSION_KEYS = Symbol('SessionKeys');

async function sessionStore(settings: Settings): Promise<SessionStore> {
  const life = { idleSeconds: settings.SESSION_IDLE_SECONDS, maxSeconds: settings.SESSION_MAX_SECONDS };
  if (settings.SESSION_STORE === 'embedded')
    return new EmbeddedSessionStore(settings.SESSION_STORE_PATH, life);
  const logger = new Logger('SessionStore');
  return RedisSessionStore.open(settings.REDIS_URL ?? '', life, (message) => {
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
    {
      provide: SessionStore,
      inject: [Settings],
      useFactory: sessionStore,
    },
    RefusedRecords,
    SealedSessions,
    SessionRenewal,
    SessionService,
    SessionResolver,
    AuthPayloadSessionResolver,
    ExtendPayloadSessionResolver,
  ],
  exports: [SessionService, SessionStore, RefusedRecords],
})
export class SessionModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(SessionModule.name);

  constructor(
    @Inject(SESSION_KEYS) private readonly keys: SessionKeys,
    @Inject(SessionStore) private readonly store: SessionStore,
  ) {}

  onApplicationBootstrap(): void {
    if (this.keys.file === undefined) return;
    this.logger.warn(
      `SESSION_KEYS is not set: the sessions are sealed with the keys in ${this.keys.file}, which no other instance has`,
    );
  }

  /** Last of all: requests that are still running have been answered by now. */
  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
