import { setTimeout as pause } from 'node:timers/promises';

/** Repeats a check every 5 ms until it neither throws nor gives false; after `withinMs` it fails with what the check said. */
export async function eventually(check: () => unknown, withinMs = 60_000): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      if ((await check()) !== false) return;
      if (Date.now() >= end) throw new Error(`The condition did not come to hold within ${withinMs} ms.`);
    } catch (failure) {
      if (Date.now() >= end) throw failure;
    }
    await pause(5);
  }
}
