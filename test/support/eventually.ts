import { setTimeout as pause } from 'node:timers/promises';

/** Waits until a condition holds, looking every 5 ms; fails after 5 s. */
export async function eventually(condition: () => boolean): Promise<void> {
  for (let looks = 0; looks < 1000; looks += 1) {
    if (condition()) return;
    await pause(5);
  }
  throw new Error('The condition did not come to hold within 5 s.');
}
