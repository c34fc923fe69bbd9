import { setTimeout as pause } from 'node:timers/promises';
import { type Answer } from '../graphql/graphql-caller.js';

/** What came of one request of a load. */
export interface LoadOutcome {
  /** Milliseconds from the start of the load to the sending of the request. */
  readonly at: number;
  readonly tookMs: number;
  /** Undefined where the connection failed. */
  readonly answer: Answer | undefined;
}

/** Sends requests at a steady rate until it is stopped, whatever becomes of them. */
export function startLoad(
  requestsPerSecond: number,
  send: (n: number) => Promise<Answer>,
): { readonly now: () => number; stop(): Promise<LoadOutcome[]> } {
  const began = performance.now();
  const now = (): number => performance.now() - began;
  const outcomes: Promise<LoadOutcome>[] = [];
  const stopping = new AbortController();
  const sendAt = async (n: number): Promise<LoadOutcome> => {
    const at = now();
    const answer = await send(n).catch(() => undefined);
    return { at, tookMs: now() - at, answer };
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const due = Math.ceil((now() / 1000) * requestsPerSecond);
      // A busy machine catches up a little at a time, so that it is not the load that fails.
      for (let n = 0; n < 10 && outcomes.length < due; n += 1) outcomes.push(sendAt(outcomes.length));
      await pause(5);
    }
  })();
  return {
    now,
    stop: async () => {
      stopping.abort();
      await running;
      return Promise.all(outcomes);
    },
  };
}

/** The value that so many of a hundred do not pass. */
export function percentile(values: readonly number[], hundredths: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * hundredths) / 100))] ?? NaN;
}

export function codeOf(outcome: Pick<LoadOutcome, 'answer'>): unknown {
  const { answer } = outcome;
  return answer === undefined ? 'NO_ANSWER' : (answer.errors?.[0]?.extensions.code ?? 'OK');
}
