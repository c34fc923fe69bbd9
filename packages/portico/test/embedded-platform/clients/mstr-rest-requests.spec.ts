import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startPlatform, type StartedPlatform } from '../../support/embedded-platform/start-platform.js';
import { type PlainAnswer, PlainHttp } from './plain-http.js';

const TOKEN = 'x-mstr-authtoken';

/** The two HTTP libraries on which the versions of this client stand send different default headers. */
const DEFAULT_HEADERS = {
  'on the first library': {
    'User-Agent': 'python-requests/2.32.3',
    'Accept-Encoding': 'gzip, deflate',
    Accept: '*/*',
    Connection: 'keep-alive',
  },
  'on the second library': {
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br, zstd',
    connection: 'keep-alive',
    'user-agent': 'python-httpx/0.28.1',
  },
};

/**
 * The Apache-2.0 Python client mstr-rest-requests. It sends JSON, keeps every `X-MSTR…` header of a successful answer and
 * sends all of them with each later call.
 */
class Client {
  readonly #http: PlainHttp;
  readonly #held = new Map<string, string>();

  constructor(baseUrl: string, defaultHeaders: Record<string, string>) {
    this.#http = new PlainHttp(baseUrl, defaultHeaders);
  }

  async send(operation: string, options: { json?: unknown; projectId?: string } = {}): Promise<PlainAnswer> {
    const { json, projectId } = options;
    const headers = {
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(this.#held),
      ...(projectId !== undefined && { 'X-MSTR-ProjectID': projectId }),
    };
    const answer = await this.#http.send(
      operation,
      headers,
      json === undefined ? undefined : JSON.stringify(json),
    );
    if (answer.status < 400) {
      for (const [name, value] of Object.entries(answer.headers)) {
        if (name.startsWith('x-mstr')) this.#held.set(name, String(value));
      }
    }
    return answer;
  }

  /** On 204 the client drops its token, and keeps its cookies and its other headers. */
  async logout(): Promise<number> {
    const { status } = await this.send('POST auth/logout');
    if (status === 204) this.#held.delete(TOKEN);
    return status;
  }

  get token(): string | undefined {
    return this.#held.get(TOKEN);
  }

  close(): void {
    this.#http.close();
  }
}

describe.each(Object.entries(DEFAULT_HEADERS))('mstr-rest-requests %s', (_library, defaultHeaders) => {
  let platform: StartedPlatform;
  let client: Client;
  beforeEach(async () => {
    platform = await startPlatform({ vendor: 'MSTR', path: '/MicroStrategyLibrary/api' });
    client = new Client(platform.baseUrl, defaultHeaders);
  });
  afterEach(async () => {
    client.close();
    await platform.close();
  });

  const login = (fields: object): Promise<PlainAnswer> =>
    client.send('POST auth/login', { json: { ...fields, applicationType: 8 } });
  const expectErrorPayload = ({ headers, body }: PlainAnswer, code: string): void => {
    // Its first versions read an error only where the whole header is this.
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toMatchObject({ code, message: expect.any(String) });
  };

  it('logs in as a guest, extends, reads and logs out', async () => {
    expect((await login({ loginMode: 8 })).status).toBe(204);
    expect(client.token).toMatch(/^\w+$/);
    expect((await client.send('PUT sessions')).status).toBe(204);
    expect(JSON.parse((await client.send('GET sessions')).body)).toMatchObject({ timeout: 1800 });
    expect(JSON.parse((await client.send('GET sessions/userInfo')).body)).toMatchObject({
      fullName: 'Guest',
    });
    expect(await client.logout()).toBe(204);
    expect(client.token).toBeUndefined();
  });

  it.each([
    ['user name and password', { username: 'demo', password: 'demo', loginMode: 1 }],
    ['API key', { username: 'demo-api-key', loginMode: 4096 }],
    ['user name alone', { username: 'demo', loginMode: 4096 }],
  ])('logs in with a %s, loads the projects and uses one', async (_what, fields) => {
    await login(fields);
    const projects = JSON.parse((await client.send('GET projects')).body) as { id: string; name: string }[];
    const projectId = projects.find(({ name }) => name === 'Retail Sales')?.id ?? '';

    expect((await client.send('GET sessions', { projectId })).status).toBe(200);
    // A project id that is empty is sent as an empty header.
    expect((await client.send('GET projects', { projectId: '' })).status).toBe(200);
    expect(await client.logout()).toBe(204);
  });

  it('reads the status of the platform before it logs in', async () => {
    const { status, body } = await client.send('GET status');

    expect(status).toBe(200);
    expect(JSON.parse(body)).toHaveProperty('iServerVersion');
  });

  it('finds a typed error behind an unknown address, a wrong password and an expired session', async () => {
    expectErrorPayload(await client.send('GET hello/dave'), 'ERR004');
    expectErrorPayload(await login({ username: 'demo', password: 'no', loginMode: 1 }), 'ERR003');
    await login({ username: 'short-session', password: 'demo', loginMode: 1 });
    platform.clock.advance(5000);
    expectErrorPayload(await client.send('GET projects'), 'ERR009');
  });

  it('delegates, and sends the identity token along with every later call', async () => {
    await login({ username: 'demo', password: 'demo', loginMode: 1 });
    const created = await client.send('POST auth/identityToken');
    const identityToken = created.headers['x-mstr-identitytoken'];
    const other = new Client(platform.baseUrl, defaultHeaders);

    // This body has no application type.
    const delegated = await other.send('POST auth/delegate', { json: { loginMode: -1, identityToken } });

    expect([created.status, delegated.status]).toEqual([201, 204]);
    expect((await other.send('GET projects')).status).toBe(200);
    expect((await client.send('GET projects')).status).toBe(200);
    expect(await client.logout()).toBe(204);
    other.close();
  });

  it('logs in again with the cookies of its last session', async () => {
    await login({ username: 'demo', password: 'demo', loginMode: 1 });
    const firstToken = client.token;
    await client.logout();

    expect((await login({ username: 'demo', password: 'demo', loginMode: 1 })).status).toBe(204);
    expect(client.token).not.toBe(firstToken);
    expect((await client.send('GET sessions')).status).toBe(200);
    expect(await client.logout()).toBe(204);
  });
});
