/** The longest interval that setInterval accepts. */
const MAX_SECONDS = 2_147_483;

/**
 * Validates the interval of a keep-alive.
 * @returns milliseconds
 * @throws TypeError when the interval is unusable
 */
export function keepAliveMs(seconds: number): number {
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds * 1000;
  throw new TypeError(`keepAliveSeconds must be a number above 0 and at most ${MAX_SECONDS}.`);
}

/**
 * Extends a session at an interval, never twice at the same time. After a failure the next interval tries again. The
 * timer does not keep the process alive.
 * @returns a function that stops it
 */
export function startKeepAlive(intervalMs: number, extend: () => Promise<unknown>): () => void {
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    extend()
      .catch(() => undefined)
      .finally(() => (isRunning = false));
  }, intervalMs).unref();
  return () => {
    clearInterval(timer);
  };
}
