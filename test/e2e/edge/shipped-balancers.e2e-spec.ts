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

const LOGIN = 'mutation { login(input: { username: "alice" }) { expiresAt } }';

describe.each<ProxyName>(['nginx', 'haproxy'])('two instances behind the %s that is shipped', (name) => {
  const missing = proxyMissing(name) ?? redisMissing;
  (missing === undefined ? describe : describe.skip)(missing ?? 'with TLS', () => {
    let folder: Awaited<ReturnType<typeof tempFolder>>;
    let platform: UserPlatform;
    let redis: RunningRedis;
    let proxy: StockProxy;
    let ports: readonly [number, number];
    let services: RunningService[];
    let start: (port: number) => Promise<RunningService>;
    beforeAll(async () => {
      folder = await tempFolder();
      platform = await startUserPlatform({ forgetsRequests: true });
      redis = await startRedis();
      ports = [await freePort(), await freePort()];
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
      const sessionKeys = sessionKeysSetting();
      services = await Promise.all(ports.map(start));
      proxy = await startShippedProxy(name, ports, await makeCertificate());
      await pause(50);
    }, 60_000);
    afterAll(async () => {
      await proxy.close();
      await stopServices();
      await platform.close();
      await redis.close();
      await folder.remove();
    });

    const ask = (query: string, headers: Record<string, string> = {}): Promise<Answer> => {
      const body = JSON.stringify({ query });
      return new Promise((resolve, reject) => {
        const asking = request(
          `${proxy.url}/graphql`,
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
    };

    it('set a secure cookie, and take it from a page of the same origin', async () => {
      const origin = new URL(proxy.url).origin;
      const login = await ask(LOGIN, { origin });
      expect(login.status).toBe(200);
      const [cookie = ''] = login.headers['set-cookie'] ?? [];
      expect(cookie).toMatch(/^__Host-portico=[\w-]{43};.*Secure/);
      const sent = { cookie: cookie.split(';')[0] ?? '', origin };
      expect((await ask('{ me { id } }', sent)).body).toContain('"alice"');
      expect((await ask('mutation { logout { loggedOut } }', sent)).body).toContain('"loggedOut":true');
    });

    it('name the request as the balancer does, and the address of its caller, whatever the caller claims', async () => {
      const answer = await ask(LOGIN, {
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
    });

    it('answer a body that is too large themselves', async () => {
      const answer = await ask(`{ hasSession } # ${'x'.repeat(900_000)}`);
      expect([answer.status, answer.body.includes('"code":"BAD_REQUEST"')]).toEqual([413, true]);
    });

    it('lose no request while both are restarted, one after the other', async () => {
      const lost: string[] = [];
      const asked: Promise<void>[] = [];
      const over = new AbortController();
      const load = (async () => {
        while (!over.signal.aborted) {
          asked.push(
            ask('{ hasSession }').then(
              ({ status, body }) => {
                if (status !== 200) lost.push(`${status} ${body}`);
              },
              (error: unknown) => {
                lost.push(String(error));
              },
            ),
          );
          await pause(20);
        }
      })();
      for (const [n, port] of ports.entries()) {
        expect(await services[n]?.stop()).toMatchObject({ code: 0 });
        const service = await start(port);
        services[n] = service;
        // It gets requests again, so the other may stop.
        await eventually(() => /"path":"\/graphql"[^\n]*"status":200/.test(service.output()));
      }
      over.abort();
      await load;
      await Promise.all(asked);
      expect(lost).toEqual([]);
      expect(asked.length).toBeGreaterThan(100);
    }, 60_000);
  });
});
