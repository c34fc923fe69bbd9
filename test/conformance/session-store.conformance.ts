import { describe, expect, it } from 'vitest';
import { type SessionLife } from '../../src/session/store/session-store.js';
import { sessionStoreConformance as cases, type StoreUnderTest } from '../../src/testing.js';

export type { StoreUnderTest } from '../../src/testing.js';

const UNAVAILABLE = { code: 'SESSION_STORE_UNAVAILABLE' };

/** What every session store does, whichever it is, and what those of the service do beyond that. */
export function sessionStoreConformance(
  name: string,
  open: (life: SessionLife) => Promise<StoreUnderTest>,
): void {
  describe(`the ${name} session store`, () => {
    for (const { title, run } of cases(open)) it(title, run);

    it('fails as one that is unavailable, at a key that is taken and once it is closed', async () => {
      const { store, close } = await open({ idleSeconds: 60, maxSeconds: 600 });
      await store.create('key', 'first');
      await expect(store.create('key', 'second')).rejects.toMatchObject(UNAVAILABLE);
      await store.close();
      await expect(store.read('key')).rejects.toMatchObject(UNAVAILABLE);
      await expect(store.ping()).rejects.toMatchObject(UNAVAILABLE);
      await close();
    });
  });
}
