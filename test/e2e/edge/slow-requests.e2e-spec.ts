import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../../../src/app/app.factory.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { tempFolder } from '../../support/temp-folder.js';

const LIMIT_MS = 200;
const HEAD =
  'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n';

/** Sends one byte after the other, a few milliseconds apart, for as long as it is let; gives all that comes back. */
function drip(url: string, first: string, rest: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    let next = 0;
    let timer: NodeJS.Timeout | undefined;
    const socket = connect(Number(port), hostname, () => {
      socket.write(first);
      timer = setInterval(() => {
        socket.write(rest[next] ?? 'x');
        next += 1;
      }, 10);
    });
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

describe('a request that is sent a byte at a time', () => {
  let app: NestFastifyApplication;
  let url: string;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const folder = await tempFolder();
    remove = folder.remove;
    app = await createApp({ LOG_LEVEL: 'silent', SESSION_STORE_PATH: `${folder.path}/sessions.db` });
    const server = app.getHttpServer() as Server & { connectionsCheckingInterval: number };
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 15_000]);
    expect(server.connectionsCheckingInterval).toBe(1_000);
    server.headersTimeout = LIMIT_MS;
    server.requestTimeout = LIMIT_MS * 2;
    server.connectionsCheckingInterval = 10;
    await app.listen({ host: '127.0.0.1', port: 0 });
    url = await app.getUrl();
  });
  afterAll(async () => {
    await app.close();
    await remove();
  });

  it.each([
    ['headers', 'POST /graphql HTTP/1.1\r\nhost: localhost\r\n', `x-slow: ${'a'.repeat(10_000)}`],
    ['body', HEAD, `{"query": "${' '.repeat(400)}`],
  ])('is cut off in its %s, and told so', async (_half, first, rest) => {
    const answer = await drip(url, first, rest);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain('"message":"The request was not received in time"');
    expect(answer).toMatch(/^connection: close$/m);
  });

  it.each([
    ['headers', 'POST /graphql HTTP/1.1\r\nhost: x\r\n'],
    ['body', HEAD],
  ])(
    'is gone a second later, although its caller stops in its %s and keeps the connection open',
    async (_half, sent) => {
      const { hostname, port } = new URL(url);
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      socket
        .on('error', () => undefined)
        .resume()
        .write(sent);
      await once(socket, 'end');
      const server = app.getHttpServer();
      await eventually(async () => (await promisify(server.getConnections.bind(server))()) === 0);
      socket.destroy();
    },
  );

  it('holds no place: the service has as many as before', async () => {
    const slow = Array.from({ length: 20 }, () => drip(url, HEAD, ' '.repeat(400)));
    // On a busy machine this request itself may be too slow for the limits that are set here.
    await eventually(async () => {
      const answer = await fetch(`${url}/graphql?query={hasSession}`);
      expect(await answer.json()).toEqual({ data: { hasSession: false } });
    });
    await Promise.all(slow);
  });
});
