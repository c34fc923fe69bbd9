import { startWatchedPlatform, type WatchedPlatform } from './watched-platform.js';

/** An embedded platform behind a proxy that counts its calls. */
export interface CountedPlatform extends WatchedPlatform {
  /** Calls since the last count, by `METHOD path` below the REST root. */
  calls(): Record<string, number>;
}

export async function startCountedPlatform(): Promise<CountedPlatform> {
  let counts = new Map<string, number>();
  const platform = await startWatchedPlatform({
    onCall: (operation) => counts.set(operation, (counts.get(operation) ?? 0) + 1),
  });
  return {
    ...platform,
    calls: () => {
      const seen = Object.fromEntries(counts);
      counts = new Map();
      return seen;
    },
  };
}
