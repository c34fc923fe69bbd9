import { type BenchClient } from './clients.ts';

/** What one round of calls cost. */
export interface Round {
  /** Microseconds of CPU of this process for one call. */
  readonly cpu: number;
  /** Calls in a second of wall time. */
  readonly rate: number;
}

/** Makes so many calls, so many at once. */
export async function measure(client: BenchClient, calls: number, atOnce: number): Promise<Round> {
  let left = calls;
  const work = async (): Promise<void> => {
    while (left-- > 0) await client.get();
  };
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, work));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { cpu: (user + system) / calls, rate: calls / seconds };
}
