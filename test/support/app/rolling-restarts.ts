import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { startBalancer } from './balancer.js';
import { type RunningService } from './run-service.js';

const PER_SECOND = 100;

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

function steadyRequests(url: string): { end(): Promise<{ requests: number; lost: string[] }> } {
  const lost: string[] = [];
  const underWay: Promise<void>[] = [];
  const ask = async (): Promise<void> => {
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
  const over = new AbortController();
  const run = (async () => {
    const start = performance.now();
    while (!over.signal.aborted) {
      const due = ((performance.now() - start) / 1000) * PER_SECOND;
      // A busy machine catches up a little at a time, so that it is not the load that fails.
      for (let n = 0; n < 10 && underWay.length < due; n += 1) underWay.push(ask());
      await pause(10);
    }
  })();
  return {
    end: async () => {
      over.abort();
      await run;
      await Promise.all(underWay);
      return { requests: underWay.length, lost };
    },
  };
}
