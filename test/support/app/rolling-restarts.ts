import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { startBalancer } from './balancer.js';
import { type RunningService } from './run-service.js';

const CALLERS = 5;
const PAUSE_MS = 50;

/** What became of the requests while two instances were restarted, one after the other. */
export interface Rolled {
  readonly requests: number;
  /** What came in place of an answer, one for each lost request. */
  readonly lost: readonly string[];
  /** How the instances ended. */
  readonly exits: readonly { code: number | null; signal: NodeJS.Signals | null }[];
}

/** Restarts two instances in turn, so many times in all, under steady requests. */
export async function rollInstances(
  restarts: number,
  start: (instance: number) => Promise<RunningService>,
): Promise<Rolled> {
  const balancer = await startBalancer();
  const exits: Rolled['exits'][number][] = [];
  const takeIn = async (instance: number): Promise<RunningService> => {
    const service = await start(instance);
    balancer.add(service.url);
    await eventually(() => balancer.isReady(service.url));
    return service;
  };
  const services = [await takeIn(0), await takeIn(1)];
  const load = steadyRequests(`${balancer.url}/graphql`);
  for (let restart = 0; restart < restarts; restart += 1) {
    const instance = restart % 2;
    const old = services[instance];
    if (old === undefined) break;
    exits.push(await old.stop());
    balancer.remove(old.url);
    services[instance] = await takeIn(instance);
  }
  const { requests, lost } = await load.end();
  await Promise.all(services.map((service) => service.stop()));
  await balancer.close();
  return { requests, lost, exits };
}

/** Some callers, each of whom asks again soon after its answer: a busy machine makes them slower, and nothing else. */
function steadyRequests(url: string): { end(): Promise<{ requests: number; lost: string[] }> } {
  const lost: string[] = [];
  let requests = 0;
  const over = new AbortController();
  const ask = async (): Promise<void> => {
    requests += 1;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ hasSession }' }),
      });
      const text = await response.text();
      if (response.status !== 200) lost.push(`${response.status} ${text}`);
    } catch (error) {
      lost.push(String(error));
    }
  };
  const call = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await ask();
      await pause(PAUSE_MS);
    }
  };
  const calling = Promise.all(Array.from({ length: CALLERS }, call));
  return {
    end: async () => {
      over.abort();
      await calling;
      return { requests, lost };
    },
  };
}
