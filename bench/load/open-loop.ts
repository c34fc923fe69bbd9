import { type Load } from './closed-loop.ts';
import { Connection } from './connection.ts';
import { Tally, type LoadResult } from './tally.ts';

export interface OpenLoad extends Load {
  readonly perSecond: number;
  /** Whether to leave out what is due while all connections are busy; else it waits here, on its time. */
  readonly leavesOut?: boolean;
  /** Milliseconds after the end in which an answer still counts: 15 s by default. */
  readonly grace?: number;
}

export interface OpenLoadResult extends LoadResult {
  /** How many were left out. */
  readonly leftOut: number;
}

/**
 * Requests come at a fixed rate whatever the answers do, on so many connections at most; the time of each counts from when it was
 * due.
 */
export async function openLoop(load: OpenLoad): Promise<OpenLoadResult> {
  const { port, connections, requests, milliseconds, length, perSecond, from } = load;
  const { leavesOut = false, grace = 15_000 } = load;
  const tally = new Tally(length);
  const idle = Array.from({ length: connections }, () => new Connection(port, from));
  const all = [...idle];
  const waiting: [due: number, bytes: Buffer][] = [];
  const total = Math.floor((perSecond * milliseconds) / 1000);
  const began = performance.now();
  let sent = 0;
  let answered = 0;
  let leftOut = 0;

  await new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds + grace).unref();
    const send = (connection: Connection, due: number, bytes: Buffer): void => {
      connection.send(bytes, (failure, received) => {
        tally.add(performance.now() - due, failure, received);
        answered += 1;
        const next = waiting.shift();
        if (next === undefined) idle.push(connection);
        else send(connection, ...next);
        if (answered + leftOut === total) resolve();
      });
    };
    const tick = (): void => {
      for (; sent < total; sent += 1) {
        const due = began + (sent * 1000) / perSecond;
        if (due > performance.now()) break;
        const bytes = requests[sent % requests.length] ?? Buffer.alloc(0);
        const connection = idle.pop();
        if (connection !== undefined) send(connection, due, bytes);
        else if (leavesOut) leftOut += 1;
        else waiting.push([due, bytes]);
      }
      if (sent < total) setTimeout(tick, 1);
    };
    tick();
  });
  // What came after the end counts, and so does the time that it took.
  const seconds = (performance.now() - began) / 1000;
  for (const connection of all) connection.close();
  for (; answered + leftOut < total; answered += 1) tally.add(Infinity, 'no answer', undefined);
  return { ...tally.result(seconds), leftOut };
}
