import {
  type EmbeddedPlatform,
  type EmbeddedPlatformOptions,
  startEmbeddedPlatform,
} from '../../../src/embedded-platform/index.js';
import { manualClock, type ManualClock } from '../manual-clock.js';

export interface StartedPlatform extends EmbeddedPlatform, AsyncDisposable {
  readonly clock: ManualClock;
}

/**
 * An embedded platform on a free port whose time is a manual clock: where it would wait, the clock moves instead.
 * Close it, or hold it with `await using`.
 */
export async function startPlatform(options: EmbeddedPlatformOptions = {}): Promise<StartedPlatform> {
  const clock = manualClock();
  const wait = (ms: number): Promise<void> => {
    clock.advance(ms);
    return Promise.resolve();
  };
  const platform = await startEmbeddedPlatform({ now: clock.now, wait, ...options });
  return { ...platform, clock, [Symbol.asyncDispose]: platform.close };
}
