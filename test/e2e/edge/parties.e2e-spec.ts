import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { Agent, request } from 'undici';
import {
  type ScriptedPlatform,
  type SeenRequest,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type Gate, gate } from '../../../packages/portico/test/support/gate.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const GUEST_LOGIN = 'mutation { login(input: { transport: BEARER }) { handle } }';
const loginOf = (username: string, password: string): string =>
  `mutation { login(input: { username: "${username}", password: "${password}", transport: BEARER }) { handle } }`;
const TENANT_LOGIN = loginOf('tenant', 'right');
const REFUSED = { code: 'ERR003', message: 'The credentials are wrong' };

interface Answer {
  readonly data: { readonly login?: { readonly handle: string } | null } | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string; readonly reason?: string } }[];
}

/** A caller with a network of its own: all of 127.0.0.0/8 is this machine. */
type Caller = (query: string, handle?: string) => Promise<Answer>;

describe('what guests and guessers do', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  let held: Gate;
  let agents: Agent[];
  afterEach(async () => {
    held.open();
    await Promise.all(agents.map((agent) => agent.destroy()));
    await app.close();
  });

  /** A platform that holds, or fails, what guests ask for, and holds wrong passwords. */
  async function start(ofGuests: 'held' | 'failing'): Promise<void> {
    held = gate();
    agents = [];
    const guests = new Set<string>();
    const isGuest = ({ headers }: SeenRequest): boolean => guests.has(String(headers['x-svc-authtoken']));
    platform = await startScriptedPlatform({
      'POST auth/login': async ({ body }, response) => {
        const { username, password } = JSON.parse(body) as Record<string, unknown>;
        if (password === 'wrong') {
          await held.passed;
          response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(REFUSED));
          return;
        }
        if (username === undefined && ofGuests === 'held' && guests.size >= 100) await held.passed;
        const token = randomUUID();
        if (username === undefined) guests.add(token);
        response.writeHead(204, { 'x-svc-authtoken': token }).end();
      },
      'POST auth/logout': { status: 204 },
      'GET sessions/userInfo': { status: 200, body: { id: 'tenant' } },
      'GET projects': async (asked, response) => {
        if (isGuest(asked) && ofGuests === 'failing') {
          // It asks to wait longer than a deadline, so that no read is retried.
          response.writeHead(503, { 'content-type': 'text/html', 'retry-after': '3600' }).end('<p>Oops</p>');
          return;
        }
        if (isGuest(asked)) await held.passed;
        response.writeHead(200, { 'content-type': 'application/json' }).end('[{"id":"1","name":"one"}]');
      },
    });
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
  }

  function from(localAddress: string): Caller {
    const agent = new Agent({ localAddress });
    agents.push(agent);
    return async (query, handle) => {
      const headers = { 'content-type': 'application/json' };
      const { body } = await request(`${app.url}/graphql`, {
        method: 'POST',
        dispatcher: agent,
        headers: handle === undefined ? headers : { ...headers, authorization: `Bearer ${handle}` },
        body: JSON.stringify({ query }),
      });
      return (await body.json()) as Answer;
    };
  }
  const handleOf = async (caller: Caller, query: string): Promise<string> =>
    (await caller(query)).data?.login?.handle ?? '';
  const ignored = (answer: Promise<unknown>): void => void answer.catch(() => undefined);

  it('costs a tenant nothing while 60 sessions of a guest wait for the platform', async () => {
    await start('held');
    const [guest, tenant] = [from('127.0.0.2'), from('127.0.0.3')];
    const handle = await handleOf(tenant, TENANT_LOGIN);
    const handles = await Promise.all(Array.from({ length: 60 }, () => handleOf(guest, GUEST_LOGIN)));
    for (const each of handles) ignored(guest('{ projects { id } }', each));
    await eventually(() => platform.count('GET projects') >= 8);
    for (let n = 0; n < 10; n += 1) {
      const { data, errors } = await tenant('{ me { id } projects { id } }', handle);
      expect(errors).toBeUndefined();
      expect(data).toEqual({ me: { id: 'tenant' }, projects: [{ id: '1' }] });
    }
  });

  it.each([1, 4])(
    'does not open the circuit for a tenant when a gateway refuses what 40 sessions from %i networks ask for',
    async (networks) => {
      await start('failing');
      const tenant = from('127.0.0.3');
      const handle = await handleOf(tenant, TENANT_LOGIN);
      const guests = Array.from({ length: networks }, (_, n) => from(`127.0.1.${n + 1}`));
      const answers = await Promise.all(
        Array.from({ length: 40 }, async (_, n) => {
          const guest = guests[n % networks] ?? tenant;
          return guest('{ projects { id } }', await handleOf(guest, GUEST_LOGIN));
        }),
      );
      expect(answers.every(({ errors }) => errors !== undefined)).toBe(true);
      expect((await tenant('{ projects { id } }', handle)).errors).toBeUndefined();
    },
  );

  it('lets a tenant log in while 200 logins of guests from another network wait for the platform', async () => {
    await start('held');
    const [guest, tenant] = [from('127.0.0.2'), from('127.0.0.3')];
    await Promise.all(Array.from({ length: 100 }, () => handleOf(guest, GUEST_LOGIN)));
    const before = platform.count('POST auth/login');
    for (let n = 0; n < 200; n += 1) ignored(guest(GUEST_LOGIN));
    await eventually(() => platform.count('POST auth/login') > before);
    expect(await handleOf(tenant, TENANT_LOGIN)).not.toBe('');
  });

  it('lets a tenant log in while wrong passwords from each of 10 other networks wait for the platform', async () => {
    await start('held');
    const tenant = from('127.0.0.3');
    for (let network = 1; network <= 10; network += 1) {
      const guesser = from(`127.0.2.${network}`);
      for (let n = 0; n < 60; n += 1) ignored(guesser(loginOf(`user ${network} ${n}`, 'wrong')));
    }
    await eventually(() => platform.count('POST auth/login') >= 8);
    expect(await handleOf(tenant, TENANT_LOGIN)).not.toBe('');
  });
});
