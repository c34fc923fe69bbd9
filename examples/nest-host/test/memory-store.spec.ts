import { describe, it } from 'vitest';
import { sessionStoreConformance } from 'portico-service/testing';
import { MemoryStore } from '../src/memory-store.js';

describe("the shop's own session store", () => {
  const cases = sessionStoreConformance((life) => {
    let time = Date.now();
    return Promise.resolve({
      store: new MemoryStore(life, () => time),
      advance: (milliseconds) => {
        time += milliseconds;
      },
      close: () => Promise.resolve(),
    });
  });
  for (const { title, run } of cases) it(title, run);
});
