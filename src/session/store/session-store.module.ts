import { Global, Logger, Module } from '@nestjs/common';
import { type Redis } from 'ioredis';
import { Settings } from '../../config/settings.js';
import { LoginRecords, recordLoginsInProcess } from './login-records.js';
import { type SessionStore } from './session-store.js';
import { backendFile } from './backend-file.js';
import { StoreBackend } from './store-backend.js';
import { StoreHealth } from './store-health.js';

/** Stores that the application brings; it may bring none. */
export interface OwnStores {
  /** Keeps the sessions. It is closed with the application. */
  readonly sessions?: SessionStore;
  /** Keeps the history of logins; by default, one beside `sessions` is kept in this process. */
  readonly logins?: LoginRecords;
  /** A client of Redis. The sessions are kept where it is connected, over connections of their own. */
  readonly redis?: Redis;
}

/** The injection token of the {@link OwnStores}. */
export const OwnStores = Symbol('OwnStores');

async function storeBackend(settings: Settings, own: OwnStores): Promise<StoreBackend> {
  const logger = new Logger('SessionStore');
  const health = new StoreHealth((message) => {
    logger.warn(message);
  });
  const { sessions, logins = recordLoginsInProcess(), redis } = own;
  if (sessions !== undefined) return { sessions, logins, health };
  const { open } = await backendFile(redis === undefined ? settings.SESSION_STORE : 'redis');
  return open(settings, health, redis);
}

/** The store of the sessions, without what watches it. */
@Global()
@Module({
  providers: [
    { provide: StoreBackend, inject: [Settings, OwnStores], useFactory: storeBackend },
    { provide: StoreHealth, inject: [StoreBackend], useFactory: ({ health }: StoreBackend) => health },
    { provide: LoginRecords, inject: [StoreBackend], useFactory: ({ logins }: StoreBackend) => logins },
  ],
  exports: [StoreBackend, StoreHealth, LoginRecords],
})
export class SessionStoreModule {}
