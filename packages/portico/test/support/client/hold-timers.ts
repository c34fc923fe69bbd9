import { vi } from 'vitest';

/** Puts one kind of timer into the test's hands and leaves every other clock, and so the sockets, real. */
export function holdTimers(held: 'setTimeout' | 'setInterval'): void {
  vi.useFakeTimers({
    toNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      ...(held === 'setTimeout'
        ? (['setInterval', 'clearInterval'] as const)
        : (['setTimeout', 'clearTimeout'] as const)),
    ],
  });
}
