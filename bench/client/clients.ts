import got from 'got';
import { PlatformClient } from 'portico/client';
import { CookieJar } from 'tough-cookie';
import { Agent } from 'undici';

/** One way to make the small GET, ready to be called. */
export interface BenchClient {
  readonly id: string;
  readonly get: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

interface Login {
  readonly token: string;
  readonly jar: CookieJar;
}

/** The client by each transport, and the bare libraries with the same jar and nothing else. */
export async function openClients(baseUrl: string): Promise<BenchClient[]> {
  return [
    ...(await portico(baseUrl, 'got')),
    ...(await portico(baseUrl, 'undici')),
    bareGot(baseUrl, await login(baseUrl)),
    bareUndici(baseUrl, await login(baseUrl)),
  ];
}

/** The same GET as an operation, as a request and as a fetch, on one session. */
async function portico(baseUrl: string, transport: 'got' | 'undici'): Promise<BenchClient[]> {
  const client = new PlatformClient({ baseUrl, transport });
  const session = client.openSession();
  await session.login();
  const close = (): Promise<void> => client.close();
  return [
    { id: `client-${transport}`, get: () => session.getSessionInfo(), close },
    {
      id: `request-${transport}`,
      get: async () => (await session.request('GET', 'sessions')).json(),
      close,
    },
    { id: `fetch-${transport}`, get: async () => (await session.fetch('sessions')).json(), close },
  ];
}

async function login(baseUrl: string): Promise<Login> {
  const { headers } = await got.post(`${baseUrl}/auth/login`, { json: { loginMode: 8 } });
  const jar = new CookieJar();
  for (const cookie of headers['set-cookie'] ?? []) jar.setCookieSync(cookie, baseUrl);
  jar.setCookieSync('LB=node-1; Path=/', baseUrl);
  return { token: String(headers['x-svc-authtoken']), jar };
}

function bareGot(baseUrl: string, { token, jar }: Login): BenchClient {
  const client = got.extend({ cookieJar: jar, headers: { 'X-SVC-AuthToken': token }, retry: { limit: 0 } });
  return {
    id: 'bare-got',
    get: () => client.get(`${baseUrl}/sessions`).json(),
    close: () => Promise.resolve(),
  };
}

function bareUndici(baseUrl: string, { token, jar }: Login): BenchClient {
  const agent = new Agent({ connections: 64 });
  const url = new URL(`${baseUrl}/sessions`);
  return {
    id: 'bare-undici',
    get: async () => {
      const headers = { 'X-SVC-AuthToken': token, cookie: jar.getCookieStringSync(url.href) };
      const { body } = await agent.request({
        origin: url.origin,
        path: url.pathname,
        method: 'GET',
        headers,
      });
      return body.json();
    },
    close: () => agent.close(),
  };
}
