import { request } from 'node:https';
import { type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../packages/portico/test/support/client/certificate.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type RunningService, runService, stopServices } from '../../support/app/run-service.js';
import {
  type ProxyName,
  proxyMissing,
  startShippedProxy,
  type StockProxy,
} from '../../support/app/stock-proxies.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { freePort } from '../../support/free-port.js';
import { redisMissing, type RunningRedis, startRedis } from '../../support/session/start-redis.js';
import { tempFolder } from '../../support/temp-folder.js';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const PROXIES: readonly ProxyName[] = ['nginx', 'haproxy'];
/** What an instance logs of a request that came by way of each, which is how each names its requests. */
const ANSWERED: Readonly<Record<ProxyName, RegExp>> = {
  nginx: /"requestId":"[0-9a-f]{32}"[^\n]*"path":"\/graphql"[^\n]*"status":200/,
  haproxy: /"requestId":"[0-9a-f]{8}-[0-9a-f-]{27}"[^\n]*"path":"\/graphql"[^\n]*"status":200/,
};
const CALLERS = 2;
const LOGIN = 'mutation { login(input: { username: "alice" }) { expiresAt } }';

/** Over a connection of its own, as the requests of different callers come. */
function ask(url: string, query: string, headers: Record<string, string> = {}): Promise<Answer> {
  const body = JSON.stringify({ query });
  return new Promise((resolve, reject) => {
    const asking = request(
      `${url}/graphql`,
      {
        method: 'POST',
        rejectUnauthorized: false,
        agent: false,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        void text(response).then((answer) => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer });
        }, reject);
      },
    );
    asking.on('error', reject).end(body);
  });
}

describe('two instances behind the balancers that are shipped with TLS', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: UserPlatform;
  let redis: RunningRedis;
  let ports: readonly [number, number];
  let services: RunningService[];
  let start: (port: number) => Promise<RunningService>;
  const proxies = new Map<ProxyName, StockProxy>();
  const present = PROXIES.filter((name) => (proxyMissing(name) ?? redisMissing) === undefined);
  beforeAll(async () => {
    if (present.length === 0) return;
    folder = await tempFolder();
    platform = await startUserPlatform({ forgetsRequests: true });
    redis = await startRedis();
    ports = [await freePort(), await freePort()];
    const sessionKeys = sessionKeysSetting();
    start = (port) =>
      runService(folder.path, {
        PORT: String(port),
        SESSION_STORE: 'redis',
        REDIS_URL: redis.url,
        SESSION_KEYS: sessionKeys,
        PLATFORM_BASE_URL: platform.baseUrl,
        TRUSTED_PROXIES: 'loopback',
        SHUTDOWN_DELAY_SECONDS: '3',
      });
    services = await Promise.all(ports.map(start));
    const certificate = await makeCertificate();
    for (const name of present) proxies.set(name, await startShippedProxy(name, ports, certificate));
  });
  afterAll(async () => {
    if (present.length === 0) return;
    for (const proxy of proxies.values()) await proxy.close();
    await stopServices();
    await platform.close();
    await redis.close();
    await folder.remove();
  });

  describe.each(PROXIES)('of which one is %s', (name) => {
    const missing = proxyMissing(name) ?? redisMissing;
    const itThere = missing === undefined ? it : it.skip;
    const because = missing === undefined ? '' : ` (skipped: ${missing})`;
    const url = (): string => proxies.get(name)?.url ?? '';
    const askIt = (query: string, headers?: Record<string, string>): Promise<Answer> =>
      ask(url(), query, headers);

    itThere(`set a secure cookie, and take it from a page of the same origin${because}`, async () => {
      const origin = new URL(url()).origin;
      const login = await askIt(LOGIN, { origin });
      expect(login.status).toBe(200);
      const [cookie = ''] = login.headers['set-cookie'] ?? [];
      expect(cookie).toMatch(/^__Host-portico=[\w-]{43};.*Secure/);
      const sent = { cookie: cookie.split(';')[0] ?? '', origin };
      expect((await askIt('{ me { id } }', sent)).body).toContain('"alice"');
      expect((await askIt('mutation { logout { loggedOut } }', sent)).body).toContain('"loggedOut":true');
    });

    itThere(
      `name the request as the balancer does, and the address of its caller, whatever the caller claims${because}`,
      async () => {
        const answer = await askIt(LOGIN, {
          'x-forwarded-for': '203.0.113.99',
          'x-request-id': 'claimed-by-the-caller',
        });
        const id = String(answer.headers['x-request-id']);
        expect(id).toMatch(/^[0-9a-f-]{32,36}$/);
        await eventually(() => {
          const lines = services.flatMap((service) => service.output().split('\n'));
          const line = lines.find((each) => each.includes('"audit":1') && each.includes(id)) ?? '{}';
          expect(JSON.parse(line)).toMatchObject({ event: 'login', address: '127.0.0.1' });
        });
      },
    );

    itThere(`answer a body that is too large themselves${because}`, async () => {
      const answer = await askIt(`{ hasSession } # ${'x'.repeat(900_000)}`);
      expect([answer.status, answer.body.includes('"code":"BAD_REQUEST"')]).toEqual([413, true]);
    });
  });

  (present.length > 0 ? it : it.skip)(
    `lose no request while both are restarted, one after the other (${present.join(' and ')})`,
    async () => {
      const loads = [...proxies.values()].map(({ url }) => steadyLoad(url));
      for (const [n, port] of ports.entries()) {
        expect(await services[n]?.stop()).toMatchObject({ code: 0 });
        const service = await start(port);
        services[n] = service;
        // It gets requests from each balancer again, so the other may stop.
        await eventually(() => present.every((name) => ANSWERED[name].test(service.output())));
      }
      for (const load of loads) {
        const { asked, lost } = await load.end();
        expect(lost).toEqual([]);
        expect(asked).toBeGreaterThan(50);
      }
    },
    600_000,
  );
});

/** Some callers, each over a new connection each time, who ask again soon after their answer. */
function steadyLoad(url: string): { end(): Promise<{ asked: number; lost: string[] }> } {
  const lost: string[] = [];
  let asked = 0;
  const over = new AbortController();
  const call = async (): Promise<void> => {
    while (!over.signal.aborted) {
      asked += 1;
      try {
        const { status, body } = await ask(url, '{ hasSession }');
        if (status !== 200) lost.push(`${status} ${body}`);
      } catch (error) {
        lost.push(String(error));
      }
      await pause(50);
    }
  };
  const calling = Promise.all(Array.from({ length: CALLERS }, call));
  return {
    end: async () => {
      over.abort();
      await calling;
      return { asked, lost };
    },
  };
}
