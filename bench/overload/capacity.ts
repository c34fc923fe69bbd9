import { closedLoop } from '../load/closed-loop.ts';
import { requestBytes } from '../load/connection.ts';
import { openLoop } from '../load/open-loop.ts';
import { type LoadResult } from '../load/tally.ts';
import { probeDuring, p99, type Scenario, type Service, session } from './scenario.ts';

const MEASURED_MS = 8_000;
/** Until V8 has compiled what is hot: a cold service would show too low a peak. */
const WARM_UP_MS = 10_000;
const CLIENTS = 500;
const BODY = { query: '{ projects { id name description } }' };

/** Each client has a session of its own: reads of one session share a call to the platform. */
async function requests(service: Service): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for (let n = 0; n < CLIENTS; n += 1) all.push(requestBytes(BODY, await session(service, `hundred ${n}`)));
  return all;
}

async function peak(service: Service, sent: readonly Buffer[]): Promise<number> {
  const load = { port: service.port, connections: 32, requests: sent };
  await closedLoop({ ...load, milliseconds: WARM_UP_MS });
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
      const load = { port: service.port, connections: CLIENTS, requests: sent };
      const loaded = closedLoop({ ...load, milliseconds: MEASURED_MS });
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
      const load = { port: service.port, connections: 2_000, requests: sent, perSecond: most * 3 };
      const loaded = openLoop({ ...load, milliseconds: MEASURED_MS });
      const probes = await probeDuring(service, loaded);
      return `peak ${Math.round(most)}/s; then ${words(await loaded, most)}, \`/livez\` p99 ${p99(probes)}`;
    },
  },
];
