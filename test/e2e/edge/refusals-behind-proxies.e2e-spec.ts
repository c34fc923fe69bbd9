import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import {
  type ProxyName,
  proxyMissing,
  startProxy,
  type StockProxy,
} from '../../support/app/stock-proxies.js';

const COUNT = 20;

describe.each<ProxyName>(['nginx', 'haproxy'])('behind a stock %s', (name) => {
  const missing = proxyMissing(name);
  const title = `two instances that refuse long bodies${missing === undefined ? '' : ` (skipped: ${missing})`}`;
  (missing === undefined ? describe : describe.skip)(title, () => {
    let instances: TestApp[];
    let proxy: StockProxy;
    beforeAll(async () => {
      // A stock nginx passes on the name of its upstream, HAProxy that of the request.
      const settings = { ALLOWED_HOSTS: 'service,127.0.0.1' };
      instances = await Promise.all([startApp(settings), startApp(settings)]);
      proxy = await startProxy(
        name,
        instances.map(({ url }) => Number(new URL(url).port)),
      );
    });
    afterAll(async () => {
      await proxy.close();
      await Promise.all(instances.map((instance) => instance.close()));
    });

    /** @returns the status, and the code that the answer names. */
    function post(
      bytes: number,
      headers: Record<string, string>,
      path = '/graphql',
    ): Promise<[number, string?]> {
      return new Promise((resolve, reject) => {
        const asked = request(
          `${proxy.url}${path}`,
          { method: 'POST', agent: false, headers },
          (response) => {
            void text(response).then((body) => {
              resolve([response.statusCode ?? 0, /"code":"(\w+)"/.exec(body)?.[1]]);
            }, reject);
          },
        );
        asked.on('error', reject).end(Buffer.alloc(bytes, ' '));
      });
    }

    const json = { 'content-type': 'application/json' };
    it.each<[string, number, Record<string, string>, string, number]>([
      ['a body of 70 KB', 70_000, { ...json, 'content-length': '70000' }, '/graphql', 413],
      ['a body of 900 KB', 900_000, { ...json, 'content-length': '900000' }, '/graphql', 413],
      ['a body of 900 KB in chunks', 900_000, { ...json, 'transfer-encoding': 'chunked' }, '/graphql', 413],
      [
        'a form of 900 KB',
        900_000,
        { 'content-type': 'text/plain', 'content-length': '900000' },
        '/graphql',
        415,
      ],
      ['a body of 900 KB for no path', 900_000, { ...json, 'content-length': '900000' }, '/x', 413],
    ])(
      `answer each of ${COUNT} at the same time with %s, and stay in use`,
      async (_what, bytes, headers, path, status) => {
        const answers = await Promise.all(Array.from({ length: COUNT }, () => post(bytes, headers, path)));
        expect(answers).toEqual(Array(COUNT).fill([status, 'BAD_REQUEST']));
        const probes = await Promise.all(
          Array.from({ length: COUNT }, async () => (await fetch(`${proxy.url}/livez`)).status),
        );
        expect(probes).toEqual(Array(COUNT).fill(200));
      },
    );
  });
});
