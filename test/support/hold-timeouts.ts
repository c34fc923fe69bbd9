import { jest } from '@jest/globals';

/** Puts `setTimeout` into the test's hands and leaves every other clock, and so the sockets, real. */
export function holdTimeouts(): void {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
    ],
  });
}
