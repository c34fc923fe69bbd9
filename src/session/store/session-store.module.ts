import { Global, Logger, Module } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { LoginRecords } from './login-records.js';
import { backendFile, StoreBackend } from './store-backend.js';
import { StoreHealth } from './store-health.js';

async function storeBackend(settings: Settings): Promise<StoreBackend> {
  const logger = new Logger('SessionStore');
  const health = new StoreHealth((message) => {
    logger.warn(message);
  });
  const { open } = await backendFile(settings.SESSION_STORE);
  return open(settings, health);
}

/** The store of the sessions, without what watches it. */
@Global()
@Module({
  providers: [
    { provide: StoreBackend, inject: [Settings], useFactory: storeBackend },
    { provide: StoreHealth, inject: [StoreBackend], useFactory: ({ health }: StoreBackend) => health },
    { provide: LoginRecords, inject: [StoreBackend], useFactory: ({ logins }: StoreBackend) => logins },
  ],
  exports: [StoreBackend, StoreHealth, LoginRecords],
})
export class SessionStoreModule {}
