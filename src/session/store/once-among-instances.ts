import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PlatformTimeoutError } from '../../client/index.js';
import { type SessionStore } from './session-store.js';

/** An instance that dies holds the others up for no longer than this. */
const LEASE_MS = 3000;
/** What has just been done needs not be done again: those who asked together do not arrive in one instant. */
const DONE_FOR_MS = 1000;
const ASK_AGAIN_MS = 50;
const WAIT_AT_MOST_MS = 12_000;

/**
 * Does for a session what all instances are asked for together: one does it, the others wait for its end.
 *
 * @param work told whether it had to wait, since then the session may have changed.
 * @returns true when the work was done here, false when another instance has done it.
 * @throws PlatformTimeoutError when the others take too long.
 * @throws SessionStoreUnavailableError
 */
export async function onceAmongInstances(
  store: SessionStore,
  key: string,
  work: (waited: boolean) => Promise<void>,
): Promise<boolean> {
  const holder = randomUUID();
  const giveUpAt = performance.now() + WAIT_AT_MOST_MS;
  let lease = await store.lease(key, holder, LEASE_MS);
  const waited = lease === 'held';
  while (lease === 'held') {
    if (performance.now() > giveUpAt) throw new PlatformTimeoutError('Another instance is still at it');
    await pause(ASK_AGAIN_MS);
    lease = await store.lease(key, holder, LEASE_MS);
  }
  if (lease === 'settled') return false;
  const giveBack = holdOn(store, key, holder);
  try {
    await work(waited);
  } catch (error) {
    await giveBack(0);
    throw error;
  }
  await giveBack(DONE_FOR_MS);
  return true;
}

/** Keeps the lease until it is given back. What fails here is let go: a lease ends by itself. */
function holdOn(
  store: SessionStore,
  key: string,
  holder: string,
): (doneForMilliseconds: number) => Promise<void> {
  const renewal = setInterval(() => {
    store.lease(key, holder, LEASE_MS).catch(() => undefined);
  }, LEASE_MS / 3).unref();
  return async (doneForMilliseconds) => {
    clearInterval(renewal);
    await store.settle(key, holder, doneForMilliseconds).catch(() => undefined);
  };
}
