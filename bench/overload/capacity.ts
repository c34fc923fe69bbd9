import { type Headers } from '../load/ask.ts';
import { closedLoop } from '../load/closed-loop.ts';
import { requestBytes } from '../load/connection.ts';
import { openLoop } from '../load/open-loop.ts';
import { type LoadResult } from '../load/tally.ts';
import { probeDuring, p99, type Scenario, type Service, session } from './scenario.ts';

const MEASURED_MS = 8_000;
const PEAK_MS = 6_000;
/** In turns: the machine is faster in one minute than in another. */
const ROUNDS = 3;
/** An overload that lasts: a shorter run tells mostly of its first second, in which all connections are made. */
const SUSTAINED_MS = 20_000;
/** Until V8 has compiled what is hot: a cold service would show too low a peak. */
const WARM_UP_MS = 10_000;
const CLIENTS = 500;
const IMPATIENT = [
  { connections: 1_000, before: 'without held connections: 12 %, p99 4.2 s, `/livez` p99 945 ms' },
  { connections: 2_000, before: 'without held connections: 11 %, p99 8.5 s, `/livez` p99 2.1 s' },
];
const BODY = { query: '{ projects { id name description } }' };

/** Each client has a session of its own: reads of one session share a call to the platform. */
async function requests(service: Service, more: Headers): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for (let n = 0; n < CLIENTS; n += 1)
    all.push(requestBytes(BODY, { ...(await session(service, `hundred ${n}`)), ...more }));
  return all;
}

/** What the service does under a load, as a share of its peak: both are measured alternately. */
async function beside<R extends LoadResult>(
  service: Service,
  load: (sent: readonly Buffer[], most: number) => Promise<R>,
  { headers = {}, note = () => '' }: { headers?: Headers; note?: (results: readonly R[]) => string } = {},
): Promise<string> {
  const sent = await requests(service, headers);
  const few = { port: service.port, connections: 32, requests: sent };
  await closedLoop({ ...few, milliseconds: WARM_UP_MS });
  const peaks: number[] = [];
  const results: R[] = [];
  const probes: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { rate: most } = await closedLoop({ ...few, milliseconds: PEAK_MS });
    const loaded = load(sent, most);
    probes.push(...(await probeDuring(service, loaded)));
    peaks.push(most);
    results.push(await loaded);
  }
  const peak = sum(peaks) / ROUNDS;
  const rate = sum(results.map(({ rate: each }) => each)) / ROUNDS;
  const shares = results.map(({ rate: each }, round) => percent(each, peaks[round])).join(', ');
  const times = results.map(({ p99: time }) => Math.round(time)).join(', ');
  const refused = `${sum(results.map(({ failures }) => failures))} refused${note(results)}`;
  return [
    `peak ${Math.round(peak)}/s`,
    `then ${Math.round(rate)}/s good (${percent(rate, peak)} %; by round ${shares}), p99 ${times} ms`,
    `${refused}, \`/livez\` p99 ${p99(probes)}`,
  ].join('; ');
}

/** Three times the peak. */
function threeTimes(service: Service, connections: number, headers: Headers = {}): Promise<string> {
  return beside(
    service,
    (sent, most) =>
      openLoop({
        port: service.port,
        connections,
        requests: sent,
        milliseconds: SUSTAINED_MS,
        perSecond: most * 3,
        leavesOut: true,
      }),
    {
      headers,
      note: (results) =>
        `, ${sum(results.map(({ leftOut }) => leftOut))} not sent since all connections were busy`,
    },
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function percent(part: number, all = NaN): number {
  return Math.round((part / all) * 100);
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
    before: 'without held connections: 33 %, p99 2.2 s, `/livez` p99 439 ms',
    run: (service: Service): Promise<string> => threeTimes(service, 4_000),
  },
  {
    id: 'new-connections',
    what: 'the same with a new connection for each request, 2,000 of them at once; so is the peak',
    before: 'not measured',
    run: (service: Service): Promise<string> => threeTimes(service, 2_000, { connection: 'close' }),
  },
  ...IMPATIENT.map(({ connections, before }) => ({
    id: `impatient-${connections}`,
    what: `${connections.toLocaleString('en')} clients in a closed loop who ask again 5 ms after a refusal`,
    before,
    run: (service: Service): Promise<string> =>
      beside(service, (sent) =>
        closedLoop({ port: service.port, connections, requests: sent, milliseconds: MEASURED_MS }),
      ),
  })),
];
