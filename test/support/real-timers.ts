import { vi } from 'vitest';

const NAMES = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const),
  ...(['setImmediate', 'clearImmediate', 'Date'] as const),
];
const KEPT = Symbol.for('the timers that this process began with');
const held = globalThis as typeof globalThis & { [KEPT]?: object };

/**
 * The files of a worker share one process. Each begins with real timers, whatever the one before has left: a spy that
 * is removed after the fake timers puts them back.
 */
held[KEPT] ??= Object.fromEntries(NAMES.map((name) => [name, globalThis[name]]));
vi.restoreAllMocks();
vi.useRealTimers();
Object.assign(globalThis, held[KEPT]);
