import { Connection } from './connection.ts';
import { Tally, type LoadResult } from './tally.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** Connection n sends request n, and begins again where there are fewer. */
  readonly requests: readonly Buffer[];
  readonly milliseconds: number;
  /** The local address that the connections come from; by default the system's choice. */
  readonly from?: string;
  /** Bytes of the right answer; one of another length is counted as a failure. */
  readonly length?: number | undefined;
  /** Answers of so many milliseconds at the beginning are not counted. */
  readonly settle?: number;
}

const GRACE = 10_000;

/**
 * Each connection asks again as soon as it has its answer. What is under way at the end is waited for and counts, and so
 * does the time that it takes: else slow systems would seem to do less for their CPU.
 */
export async function closedLoop({
  port,
  connections,
  requests,
  milliseconds,
  from,
  length,
  settle = 0,
}: Load): Promise<LoadResult> {
  const tally = new Tally(length);
  const start = performance.now();
  const until = start + settle + milliseconds;
  const all = Array.from({ length: connections }, () => new Connection(port, from));
  const ended = all.map((connection, index) => {
    const bytes = requests[index % requests.length] ?? Buffer.alloc(0);
    return new Promise<void>((resolve) => {
      const next = (): void => {
        const began = performance.now();
        if (began >= until) {
          resolve();
          return;
        }
        connection.send(bytes, (failure, received) => {
          if (began >= start + settle) tally.add(performance.now() - began, failure, received);
          // A refused connection would else be tried again without a pause.
          if (failure === undefined) next();
          else setTimeout(next, 5);
        });
      };
      next();
    });
  });
  const patience = new Promise<void>((resolve) => setTimeout(resolve, settle + milliseconds + GRACE).unref());
  await Promise.race([Promise.all(ended), patience]);
  const seconds = (performance.now() - start - settle) / 1000;
  for (const connection of all) connection.close();
  return tally.result(seconds);
}
