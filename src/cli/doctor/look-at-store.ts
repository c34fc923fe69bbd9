import { type Settings } from '../../config/settings.js';
import { STORE_BACKENDS } from '../../session/store/store-backends.js';
import { type StoreBackend } from '../../session/store/store-backend.js';
import { type Finding } from './finding.js';

const WHAT = 'session store';
const FIX: Readonly<Record<Settings['SESSION_STORE'], string>> = {
  redis: 'REDIS_URL: check host, port, user, password and rediss:// for TLS',
  embedded: 'SESSION_STORE_PATH: check the path and its rights, and that no other process has the file',
};

/** Opens the store as the service does, writes to it, and asks it what it is. */
export async function lookAtStore(settings: Settings): Promise<Finding[]> {
  const kind = settings.SESSION_STORE;
  let store: StoreBackend | undefined;
  try {
    store = await STORE_BACKENDS[kind](settings, () => undefined);
    await store.sessions.ping();
    const { product, evictionPolicy } = await store.describe();
    const found = `${kind} can be written (${product})`;
    return [{ what: WHAT, state: 'right', found }, ...eviction(evictionPolicy)];
  } catch (error) {
    const found = error instanceof Error ? error.message : 'it cannot be opened';
    return [{ what: WHAT, state: 'wrong', found, fix: FIX[kind] }];
  } finally {
    await store?.sessions.close();
  }
}

function eviction(policy: string | undefined): Finding[] {
  if (policy === undefined || policy === 'noeviction') return [];
  const found = `Redis may drop sessions when its memory is full (maxmemory-policy ${policy})`;
  return [{ what: WHAT, state: 'warning', found, fix: 'Redis itself: set maxmemory-policy to noeviction' }];
}
