import { type Settings } from '../config/settings.js';
import { backendFile } from '../session/store/store-backend.js';
import { type Finding } from './finding.js';

const WHAT = 'session store';

/** Tries the store out, which leaves nothing behind. */
export async function lookAtStore(settings: Settings): Promise<Finding[]> {
  const kind = settings.SESSION_STORE;
  const { tryOut, fix } = await backendFile(kind);
  try {
    const { product, evictionPolicy } = await tryOut(settings);
    const found = `${kind} can be written (${product})`;
    return [{ what: WHAT, state: 'right', found }, ...eviction(evictionPolicy)];
  } catch (error) {
    const found = error instanceof Error ? error.message : 'it cannot be opened';
    return [{ what: WHAT, state: 'wrong', found, fix }];
  }
}

function eviction(policy: string | undefined): Finding[] {
  if (policy === undefined || policy === 'noeviction') return [];
  const found = `Redis may drop sessions when its memory is full (maxmemory-policy ${policy})`;
  return [{ what: WHAT, state: 'warning', found, fix: 'Redis itself: set maxmemory-policy to noeviction' }];
}
