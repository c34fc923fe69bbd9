import { jest } from '@jest/globals';

/** Puts one kind of timer into the test's hands and leaves every other clock, and so the sockets, real. */
export function holdTimers(held: 'setTimeout' | 'setInterval'): void {
  jest.useFakeTimers({
    doNotFake: [
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
