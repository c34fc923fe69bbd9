import { describe, it } from 'vitest';
import { type SessionLife } from '../../src/session/store/session-store.js';
import { sessionStoreConformance as cases, type StoreUnderTest } from '../../src/testing.js';

export type { StoreUnderTest } from '../../src/testing.js';

/** What every session store does, whichever it is. */
export function sessionStoreConformance(
  name: string,
  open: (life: SessionLife) => Promise<StoreUnderTest>,
): void {
  describe(`the ${name} session store`, () => {
    for (const { title, run } of cases(open)) it(title, run);
  });
}
