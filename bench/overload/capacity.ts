import { closedLoop } from '../load/closed-loop.ts';
import { requestBytes } from '../load/connection.ts';
import { openLoop } from '../load/open-loop.ts';
import { type LoadResult } from '../load/tally.ts';
import { probeDuring, p99, type Scenario, type Service, session } from './scenario.ts';

const MEASURED_MS = 8_000;
const SESSIONS = 50;
const BODY = { query: '{ me { id fullName } }' };

async function requests(service: Service): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for (let n = 0; n < SESSIONS; n += 1) all.push(requestBytes(BODY, await session(service, `user ${n}`)));
  return all;
}

async function peak(service: Service, sent: readonly Buffer[]): Promise<number> {
  const load = { port: service.port, connections: 32, requests: sent };
  await closedLoop({ ...load, milliseconds: 3_000 });
  return (await closedLoop({ ...load, milliseconds: MEASURED_MS })).rate;
}

function words({ rate, failures, p99: late }: LoadResult, most: number): string {
  return `${Math.round(rate)}/s good (${Math.round((rate / most) * 100)} % of the peak), p99 ${Math.round(late)} ms, ${failures} refused`;
}

/** More than the service can answer. */
export const CAPACITY: readonly Scenario[] = [
  {
    id: 'clients',
    what: '500 clients in a closed loop',
    before: '440/s, p99 1.9 s, nothing is refused',
    run: async (service: Service): Promise<string> => {
      const sent = await requests(service);
      const most = await peak(service, sent);
      const load = { port: service.port, connections: 500, requests: sent };
      const loaded = closedLoop({ ...load, settle: 10_000, milliseconds: MEASURED_MS });
      const probes = await probeDuring(service, loaded);
      return `peak ${Math.round(most)}/s; then ${words(await loaded, most)}, \`/livez\` p99 ${p99(probes)}`;
    },
  },
  {
    id: 'three-times',
    what: 'three times as many requests as it can answer, at a fixed rate',
    before: 'not measured',
    run: async (service: Service): Promise<string> => {
      const sent = await requests(service);
      const most = await peak(service, sent);
      const load = { port: service.port, connections: 400, requests: sent, perSecond: most * 3 };
      const loaded = await openLoop({ ...load, milliseconds: MEASURED_MS });
      return `peak ${Math.round(most)}/s; then ${words(loaded, most)}`;
    },
  },
];
