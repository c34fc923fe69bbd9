import { closedLoop } from '../load/closed-loop.ts';
import { requestBytes } from '../load/connection.ts';
import { openLoop } from '../load/open-loop.ts';
import { type LoadResult } from '../load/tally.ts';
import { probeDuring, p99, type Scenario, type Service, session } from './scenario.ts';

const MEASURED_MS = 8_000;
/** An overload that lasts: a shorter run tells mostly of its first second, in which all connections are made. */
const SUSTAINED_MS = 20_000;
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

/** What the service does under a load, as a share of its peak. */
async function beside<R extends LoadResult>(
  service: Service,
  load: (sent: readonly Buffer[], most: number) => Promise<R>,
  more: (result: R) => string = () => '',
): Promise<string> {
  const sent = await requests(service);
  const base = { port: service.port, connections: 32, requests: sent };
  await closedLoop({ ...base, milliseconds: WARM_UP_MS });
  const { rate: most } = await closedLoop({ ...base, milliseconds: MEASURED_MS });
  const loaded = load(sent, most);
  const probes = await probeDuring(service, loaded);
  const result = await loaded;
  const share = `${Math.round(result.rate)}/s good (${Math.round((result.rate / most) * 100)} %)`;
  const rest = `${result.failures} refused${more(result)}, \`/livez\` p99 ${p99(probes)}`;
  return `peak ${Math.round(most)}/s; then ${share}, p99 ${Math.round(result.p99)} ms, ${rest}`;
}

/** More than the service can answer. */
export const CAPACITY: readonly Scenario[] = [
  {
    id: 'clients',
    what: '500 clients in a closed loop',
    before: '440/s, p99 1.9 s, nothing is refused',
    run: (service: Service): Promise<string> =>
      beside(service, (sent) =>
        closedLoop({ port: service.port, connections: CLIENTS, requests: sent, milliseconds: MEASURED_MS }),
      ),
  },
  {
    id: 'three-times',
    what: 'three times as many requests as it can answer, at a fixed rate on 4,000 connections',
    before: 'not measured',
    run: (service: Service): Promise<string> =>
      beside(
        service,
        (sent, most) =>
          openLoop({
            port: service.port,
            connections: 4_000,
            requests: sent,
            milliseconds: SUSTAINED_MS,
            perSecond: most * 3,
            leavesOut: true,
          }),
        ({ leftOut }) => `, ${leftOut} not sent since all connections were busy`,
      ),
  },
  ...[1_000, 2_000].map((connections) => ({
    id: `impatient-${connections}`,
    what: `${connections.toLocaleString('en')} clients in a closed loop who ask again 5 ms after a refusal`,
    before: 'not measured',
    run: (service: Service): Promise<string> =>
      beside(service, (sent) =>
        closedLoop({ port: service.port, connections, requests: sent, milliseconds: MEASURED_MS }),
      ),
  })),
];
