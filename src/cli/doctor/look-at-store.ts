import { type Settings } from '../../config/settings.js';
import { backendFile, type StoreBackend } from '../../session/store/store-backend.js';
import { type Finding } from './finding.js';

const WHAT = 'session store';

/** Opens the store as the service does, writes to it, and asks it what it is. */
export async function lookAtStore(settings: Settings): Promise<Finding[]> {
  const kind = settings.SESSION_STORE;
  const { open, fix } = await backendFile(kind);
  let store: StoreBackend | undefined;
  try {
    store = await open(settings, () => undefined);
    await store.sessions.ping();
    const { product, evictionPolicy } = await store.describe();
    const found = `${kind} can be written (${product})`;
    return [{ what: WHAT, state: 'right', found }, ...eviction(evictionPolicy)];
  } catch (error) {
    const found = error instanceof Error ? error.message : 'it cannot be opened';
    return [{ what: WHAT, state: 'wrong', found, fix }];
  } finally {
    await store?.sessions.close();
  }
}

function eviction(policy: string | undefined): Finding[] {
  if (policy === undefined || policy === 'noeviction') return [];
  const found = `Redis may drop sessions when its memory is full (maxmemory-policy ${policy})`;
  return [{ what: WHAT, state: 'warning', found, fix: 'Redis itself: set maxmemory-policy to noeviction' }];
}
