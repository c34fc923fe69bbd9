import { ask, type Headers } from '../../load/ask.ts';
import { closedLoop } from '../../load/closed-loop.ts';
import { requestBytes } from '../../load/connection.ts';
import { openLoop } from '../../load/open-loop.ts';
import { type LoadResult } from '../../load/tally.ts';
import { TENANT_ADDRESS } from './plan.ts';

const LOGIN = {
  query: 'mutation { login(input: {username: "tenant", password: "right", transport: BEARER}) { handle } }',
};
const ME = { query: '{ me { id fullName } }' };
const PROJECTS = { query: '{ projects { id name } }' };
/** As load balancers ask: by a new connection each time. */
const PROBE = Buffer.from('GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n');

/** Requests in a second, whatever the answers do. */
const RATES = { probe: 20, me: 20, projects: 1, login: 2 };
const WARM_UP = [
  { body: ME, connections: 4, milliseconds: 1000 },
  { body: PROJECTS, connections: 1, milliseconds: 2000 },
];
/** Answers that come later than this after the end count as missing. */
const GRACE_MS = 4000;

/** What others have of the service meanwhile. */
export interface OthersResult {
  readonly livez: LoadResult;
  readonly me: LoadResult;
  readonly projects: LoadResult;
  readonly login: LoadResult;
}

/** The headers of a named account, which has its own network; V8 has compiled what it asks for. */
export async function tenantHeaders(port: number): Promise<Headers> {
  const { body } = await ask(port, '/graphql', LOGIN, {}, TENANT_ADDRESS);
  const handle = /"handle":"([^"]+)"/.exec(body)?.[1];
  if (handle === undefined) throw new Error(`The login of the tenant failed: ${body.slice(0, 200)}`);
  const headers = { authorization: `Bearer ${handle}` };
  for (const { body: warmUp, ...load } of WARM_UP)
    await closedLoop({ port, from: TENANT_ADDRESS, requests: [requestBytes(warmUp, headers)], ...load });
  return headers;
}

/** The tenant's requests and a load balancer's probes, for so long. */
export async function others(port: number, headers: Headers, milliseconds: number): Promise<OthersResult> {
  const load = (bytes: Buffer, perSecond: number, from?: string): Promise<LoadResult> =>
    openLoop({
      port,
      from,
      perSecond,
      milliseconds,
      grace: GRACE_MS,
      requests: [bytes],
      connections: Math.ceil((perSecond * (milliseconds + GRACE_MS)) / 1000),
    });
  const [livez, me, projects, login] = await Promise.all([
    load(PROBE, RATES.probe),
    load(requestBytes(ME, headers), RATES.me, TENANT_ADDRESS),
    load(requestBytes(PROJECTS, headers), RATES.projects, TENANT_ADDRESS),
    load(requestBytes(LOGIN, {}), RATES.login, TENANT_ADDRESS),
  ]);
  return { livez, me, projects, login };
}
