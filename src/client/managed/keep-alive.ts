/** setInterval takes no more. */
const LONGEST_SECONDS = 2_147_483;

/**
 * Checks the interval of a keep-alive.
 * @returns milliseconds
 * @throws TypeError when it cannot be used
 */
export function keepAliveMs(seconds: number): number {
  if (seconds > 0 && seconds <= LONGEST_SECONDS) return seconds * 1000;
  throw new TypeError(`keepAliveSeconds: a number above 0 and up to ${LONGEST_SECONDS} is needed.`);
}

/**
 * Runs a prolongation at an interval, never two at once; one that fails is left to the next. It does not keep the
 * process alive.
 * @returns what ends it
 */
export function startKeepAlive(intervalMs: number, prolong: () => Promise<unknown>): () => void {
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    prolong()
      .catch(() => undefined)
      .finally(() => (isRunning = false));
  }, intervalMs).unref();
  return () => {
    clearInterval(timer);
  };
}
