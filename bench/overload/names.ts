import { request } from 'undici';
import { residentMegabytes } from '../machine/cost.ts';
import { freePort } from '../machine/free-port.ts';
import { login, query, type Scenario, type Service } from './scenario.ts';

const NAMES = 200_000;
/** Each takes a call of the platform, so that all of them would take ten minutes. */
const USERS = 20_000;
const AT_ONCE = 32;
const METRICS_PORT = await freePort();
const REST_MS = 10_000;

/** Names that callers choose: memory and metrics must not grow with them. */
export const DISTINCT_NAMES: readonly Scenario[] = [
  {
    id: 'names',
    what: '200,000 requests, each with another handle, query text, user agent and origin, and 20,000 failed logins, each with another user name',
    before: '',
    settings: { METRICS_PORT: String(METRICS_PORT), LOGIN_FAILURES_PER_MINUTE: '1000000' },
    run: async (service: Service): Promise<string> => {
      await each(NAMES / 100, (n) => named(service, n));
      const [idle, seriesBefore] = [residentMegabytes(service.pid), await series()];
      await each(NAMES, (n) => named(service, NAMES + n));
      await each(USERS, (n) => login(service, `user ${n}`, 'wrong'));
      const most = residentMegabytes(service.pid);
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      const state = service.isAlive() ? 'alive' : 'DEAD';
      return `${state}; ${idle} MB after 2,000 of them, ${most} MB at the end, ${residentMegabytes(service.pid)} MB 10 s later; ${seriesBefore} metric series after 2,000, ${await series()} at the end`;
    },
  },
];

function named(service: Service, n: number): Promise<unknown> {
  const handle = Buffer.alloc(32, `${n}`.padStart(32, 'n')).toString('base64url');
  return query(service, `{ name${n}: hasSession }`, {
    authorization: `Bearer ${handle}`,
    'user-agent': `agent/${n}`,
    origin: `https://page-${n}.example`,
  });
}

async function each(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function series(): Promise<number> {
  const { body } = await request(`http://127.0.0.1:${METRICS_PORT}/metrics`);
  return (await body.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
}
