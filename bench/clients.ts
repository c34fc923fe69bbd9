import got from 'got';
import { PlatformClient } from 'portico/client';
import { CookieJar } from 'tough-cookie';
import { Agent } from 'undici';

/** One way to make the small GET, ready to be called. */
export interface BenchClient {
  readonly name: string;
  readonly get: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const TOKEN = { 'X-SVC-AuthToken': 'k3v9l2m1n0' };
const COOKIES = ['JSESSIONID=0123456789ABCDEF0123456789ABCDEF; Path=/api; HttpOnly', 'LB=node-1; Path=/'];

/** The client by each transport, and the bare libraries with the same jar and nothing else. */
export async function openClients(baseUrl: string): Promise<BenchClient[]> {
  return [
    await portico(baseUrl, 'got'),
    await portico(baseUrl, 'undici'),
    bareGot(baseUrl),
    bareUndici(baseUrl),
  ];
}

async function portico(baseUrl: string, transport: 'got' | 'undici'): Promise<BenchClient> {
  const client = new PlatformClient({ baseUrl, transport });
  const session = client.openSession();
  await session.login();
  return {
    name: `portico/client, ${transport}`,
    get: () => session.getSessionInfo(),
    close: () => client.close(),
  };
}

function filledJar(baseUrl: string): CookieJar {
  const jar = new CookieJar();
  for (const cookie of COOKIES) jar.setCookieSync(cookie, baseUrl);
  return jar;
}

function bareGot(baseUrl: string): BenchClient {
  const client = got.extend({ cookieJar: filledJar(baseUrl), headers: TOKEN, retry: { limit: 0 } });
  return {
    name: 'bare got with the jar',
    get: () => client.get(`${baseUrl}/sessions`).json(),
    close: () => Promise.resolve(),
  };
}

function bareUndici(baseUrl: string): BenchClient {
  const agent = new Agent({ connections: 64 });
  const jar = filledJar(baseUrl);
  const url = new URL(`${baseUrl}/sessions`);
  return {
    name: 'bare undici with the jar',
    get: async () => {
      const headers = { ...TOKEN, cookie: jar.getCookieStringSync(url.href) };
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
