import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PlatformTimeoutError } from 'portico/client';
import { type SessionStore } from './session-store.js';

/** An instance that crashes delays the others for at most this long. */
const LEASE_MS = 3000;
/**
 * What has just been done does not have to be done again: requests made together do not arrive at the same instant.
 */
const DONE_FOR_MS = 1000;
const ASK_AGAIN_MS = 50;
const WAIT_AT_MOST_MS = 12_000;

/**
 * Does work for a session when several instances are asked for it at the same time. One of them does it, and the
 * others wait.
 *
 * @param work called with whether it had to wait; the session may have changed in the meantime.
 * @returns true if the work was done here, false if another instance did it.
 * @throws PlatformTimeoutError when the others take too long.
 * @throws ServiceError SESSION_STORE_UNAVAILABLE
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
    if (performance.now() > giveUpAt)
      throw new PlatformTimeoutError('Another instance is still working on it');
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

/** Keeps the lease until it is returned. A failure here is ignored, because a lease ends on its own. */
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
