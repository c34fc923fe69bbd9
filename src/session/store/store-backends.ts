import { type SessionStoreKind } from '../../config/settings/session.js';
import { openEmbeddedBackend } from './embedded-backend.js';
import { openRedisBackend } from './redis-backend.js';
import { type OpenBackend } from './store-backend.js';

/** Every value of `SESSION_STORE` and what it opens. */
export const STORE_BACKENDS: Readonly<Record<SessionStoreKind, OpenBackend>> = {
  embedded: openEmbeddedBackend,
  redis: openRedisBackend,
};
