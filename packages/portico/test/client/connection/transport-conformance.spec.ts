import { standardBody } from '../../../src/client/session/request-body.js';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { type TlsOptions } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { GotTransport } from '../../../src/client/transport/got-transport.js';
import { networkFailure } from '../../../src/client/transport/network-failure.js';
import { readBody } from '../../../src/client/transport/read-body.js';
import {
  type HopResponse,
  type Transport,
  type TransportFactory,
} from '../../../src/client/transport/transport.js';
import { type TlsTrust } from '../../../src/client/transport/tls-trust.js';
import { UndiciTransport } from '../../../src/client/transport/undici-transport.js';
import { makeCertificate } from '../../support/client/certificate.js';
import { eventually } from '../../support/eventually.js';
import { startFaultProxy } from '../../support/fault-proxy.js';
import { redirectTo } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
  type ScriptedPlatform,
} from '../../support/embedded-platform/scripted-platform.js';

const LIMIT = 1024 * 1024;
const hang: ScriptedAnswer = () => undefined;

describe.each<[string, TransportFactory]>([
  ['got', (options) => new GotTransport(options)],
  ['undici', (options) => new UndiciTransport(options)],
])('the %s transport', (_name, make) => {
  const transports = new Set<Transport>();
  afterAll(async () => {
    await Promise.all([...transports].map((transport) => transport.close()));
  });
  function transportWith(trust: TlsTrust = { rejectUnauthorized: true }): Transport {
    const transport = make({ trust });
    transports.add(transport);
    return transport;
  }
  const transport = transportWith();

  function send(
    platform: Pick<ScriptedPlatform, 'baseUrl'>,
    path: string,
    more: {
      method?: string;
      body?: string;
      signal?: AbortSignal;
      headers?: Record<string, string>;
      by?: Transport;
    } = {},
  ): Promise<HopResponse> {
    const {
      by = transport,
      method = 'GET',
      signal = new AbortController().signal,
      headers = {},
      body,
    } = more;
    return by.send({
      method,
      url: new URL(path, platform.baseUrl),
      headers,
      body: standardBody(body),
      signal,
    });
  }

  function read(response: HopResponse): Promise<Buffer> {
    return readBody(response.body, LIMIT);
  }

  async function failureOf(work: Promise<unknown>): Promise<unknown> {
    return work.then(
      () => 'no failure',
      (error: unknown) => networkFailure(error),
    );
  }

  it('returns status, separate header fields, and body', async () => {
    const platform = await startScriptedPlatform({
      '*': {
        status: 418,
        headers: ['X-One', 'a', 'x-one', 'b', 'Set-Cookie', 'c=1', 'Set-Cookie', 'd=2'],
        body: 'tea',
      },
    });

    const response = await send(platform, 'x?y=1');

    expect(response.status).toBe(418);
    expect(response.rawHeaders.slice(0, 8)).toEqual([
      'X-One',
      'a',
      'x-one',
      'b',
      'Set-Cookie',
      'c=1',
      'Set-Cookie',
      'd=2',
    ]);
    expect((await read(response)).toString()).toBe('tea');
    expect(platform.requests[0]?.path).toBe('x?y=1');
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'sends %s with its headers and no body',
    async (method) => {
      const platform = await startScriptedPlatform({ '*': { status: 204 } });

      const response = await send(platform, 'x', { method, headers: { 'X-SVC-AuthToken': 'abc' } });

      expect(response.status).toBe(204);
      expect((await read(response)).byteLength).toBe(0);
      expect(platform.requests[0]).toMatchObject({ method, body: '', headers: { 'x-svc-authtoken': 'abc' } });
      expect(platform.requests[0]?.headers).not.toHaveProperty('transfer-encoding');
    },
  );

  it('sends a body with its length, and only the given headers', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 200 } });

    await read(
      await send(platform, 'x', {
        method: 'POST',
        body: '{"ü":1}',
        headers: { 'content-type': 'application/json' },
      }),
    );

    const { headers, body } = platform.requests[0] ?? {};
    expect(body).toBe('{"ü":1}');
    expect(Object.keys(headers ?? {}).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
    expect(headers?.['content-length']).toBe('8');
  });

  it.each([301, 302, 303, 307, 308])('does not follow %d', async (status) => {
    const platform = await startScriptedPlatform({ 'GET x': redirectTo('/api/y', status) });

    const response = await send(platform, 'x');
    await read(response);

    expect(response.status).toBe(status);
    expect(platform.requests).toHaveLength(1);
  });

  it.each([408, 429, 500, 502, 503, 504])('does not retry after %d', async (status) => {
    const platform = await startScriptedPlatform({ '*': { status, headers: { 'retry-after': '0' } } });

    await read(await send(platform, 'x'));

    expect(platform.requests).toHaveLength(1);
  });

  it('keeps no cookies', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 200, headers: { 'set-cookie': 'a=1' } } });

    await read(await send(platform, 'x'));
    await read(await send(platform, 'x'));

    expect(platform.requests[1]?.headers).not.toHaveProperty('cookie');
  });

  it('decodes nothing', async () => {
    const platform = await startScriptedPlatform({
      '*': { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'not gzip at all' },
    });

    const response = await send(platform, 'x');

    expect((await read(response)).toString()).toBe('not gzip at all');
  });

  it('reuses connections for consecutive calls', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 200, body: 'x' } });

    for (let call = 0; call < 20; call += 1) await read(await send(platform, 'x'));

    expect(platform.connections).toBeLessThanOrEqual(2);
  });

  it('accepts 5,000 cookies and a header of 100 KB, and fails on a header section over 256 KB', async () => {
    const cookies = Array.from({ length: 5000 }, (_, index) => ['set-cookie', `c${index}=v`]).flat();
    const platform = await startScriptedPlatform({
      'GET many': { status: 200, headers: cookies },
      'GET long': { status: 200, headers: { 'x-long': 'a'.repeat(100 * 1024) } },
      'GET past': { status: 200, headers: { 'x-long': 'a'.repeat(300 * 1024) } },
    });

    const many = await send(platform, 'many');
    const long = await send(platform, 'long');
    await Promise.all([read(many), read(long)]);

    expect(many.rawHeaders.filter((name) => name === 'set-cookie')).toHaveLength(5000);
    expect(long.rawHeaders[1]).toHaveLength(100 * 1024);
    await expect(failureOf(send(platform, 'past'))).resolves.toMatchObject({ name: 'PlatformHttpError' });
  });

  it('fails immediately when aborted, before and during the response', async () => {
    const platform = await startScriptedPlatform({
      'GET silent': hang,
      'GET half': (_request, response) =>
        void response.writeHead(200, { 'content-length': '10' }).write('half'),
    });
    const before = new AbortController();
    const within = new AbortController();

    const silent = send(platform, 'silent', { signal: before.signal });
    const half = read(await send(platform, 'half', { signal: within.signal }));
    await eventually(() => platform.requests.length === 2);
    before.abort();
    within.abort();

    await expect(silent).rejects.toThrow();
    await expect(half).rejects.toThrow();
  });

  it('tells refused, reset, cut and unresolved apart from a protocol error', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 200, body: 'x'.repeat(5000) } });
    const proxy = await startFaultProxy(Number(new URL(platform.baseUrl).port));
    const through = { baseUrl: `http://127.0.0.1:${proxy.port}/api/` };
    const whole = async (): Promise<Buffer> => read(await send(through, 'x'));

    proxy.setFaults(
      { kind: 'reset', afterBytes: 0 },
      { kind: 'reset', afterBytes: 1000 },
      { kind: 'cut', afterBytes: 1000 },
    );
    for (let fault = 0; fault < 3; fault += 1) {
      await expect(failureOf(whole())).resolves.toMatchObject({
        name: 'PlatformUnreachableError',
        reason: 'CONNECT',
      });
    }
    await proxy.refuse();
    await expect(failureOf(whole())).resolves.toMatchObject({
      name: 'PlatformUnreachableError',
      reason: 'CONNECT',
    });
    await expect(failureOf(send({ baseUrl: 'http://no-such-host.invalid/' }, 'x'))).resolves.toMatchObject({
      name: 'PlatformUnreachableError',
      reason: 'DNS',
    });
  });

  it.each<[string, string]>([
    ['by its announced length', 'content-length: 100\r\n\r\n['],
    [
      'by its announced length, compressed',
      'content-length: 100\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b\x08',
    ],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n5\r\n['],
    ['between chunks', 'transfer-encoding: chunked\r\n\r\n1\r\n[\r\n'],
    ['within the header section', 'x-header: unfini'],
  ])('reports a response that ends too early %s as a broken connection', async (_name, rest) => {
    const platform = await startScriptedPlatform({
      '*': (_request, response) =>
        void response.socket?.end(Buffer.from(`HTTP/1.1 200 OK\r\n${rest}`, 'latin1')),
    });
    const whole = async (): Promise<Buffer> => {
      return readBody((await send(platform, 'x')).body, LIMIT);
    };

    await expect(failureOf(whole())).resolves.toMatchObject({
      name: 'PlatformUnreachableError',
      reason: 'CONNECT',
      retryable: true,
    });
  });

  it('reports a response that is not HTTP as a protocol error', async () => {
    const platform = await startScriptedPlatform({
      '*': (_request, response) => void response.socket?.end('SSH-2.0-OpenSSH\r\n\r\n'),
    });

    await expect(failureOf(send(platform, 'x'))).resolves.toMatchObject({ name: 'PlatformHttpError' });
  });

  it('rejects unknown, expired and mismatched certificates, and accepts what its bundle or setting allows', async () => {
    const good = await makeCertificate();
    const expired = await makeCertificate({ isExpired: true });
    const misplaced = await makeCertificate({ ip: '127.0.0.2' });
    const script = { '*': { status: 204 } };
    const [trusted, old, other] = await Promise.all(
      [good, expired, misplaced].map((tls) => startScriptedPlatform(script, { tls })),
    );
    if (trusted === undefined || old === undefined || other === undefined) throw new Error('not started');
    const verifying = (ca: string): Transport => transportWith({ rejectUnauthorized: true, ca });

    const refusals = await Promise.all([
      failureOf(send(trusted, 'x')),
      failureOf(send(old, 'x', { by: verifying(expired.cert) })),
      failureOf(send(other, 'x', { by: verifying(misplaced.cert) })),
    ]);
    const taken = await Promise.all([
      send(trusted, 'x', { by: verifying(good.cert) }),
      send(old, 'x', { by: transportWith({ rejectUnauthorized: false }) }),
      send(other, 'x', { by: transportWith({ rejectUnauthorized: false }) }),
    ]);

    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ name: 'PlatformUnreachableError', reason: 'TLS', retryable: false });
    }
    expect(taken.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect([trusted, old, other].map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
  });

  it.each<[string, TlsOptions]>([
    ['TLS 1.3 that wants a client certificate', { requestCert: true, rejectUnauthorized: true }],
    [
      'TLS 1.2 that wants a client certificate',
      { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
    ],
    ['no cipher in common (alert 40)', { ciphers: 'PSK-AES128-CBC-SHA', maxVersion: 'TLSv1.2' }],
    [
      'a version of TLS that is not accepted',
      { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL@SECLEVEL=0' },
    ],
  ])('takes a refusal of TLS for what it is: %s', async (_why, options) => {
    const { key, cert } = await makeCertificate();
    const platform = await startTlsServer({ key, cert, ...options });

    for (let call = 0; call < 3; call += 1) {
      const failure = failureOf(
        send({ baseUrl: `https://localhost:${platform.port}/` }, 'x', {
          by: transportWith({ rejectUnauthorized: false }),
        }),
      );
      await expect(failure).resolves.toMatchObject({
        name: 'PlatformUnreachableError',
        reason: 'TLS',
        retryable: false,
      });
    }
    expect(platform.requests()).toBe(0);
  });

  it.each([100_000, 5_000_000])(
    'keeps the status of a server that answers 413 and does not read the body of %d bytes',
    async (length) => {
      for (const how of ['end', 'destroy', 'reset'] as const) {
        const server = await startRefusingServer(how);
        const response = await send(server, 'x', { method: 'POST', body: 'x'.repeat(length) });

        expect([response.status, (await read(response)).toString()]).toEqual([413, '{}']);
      }
    },
  );

  it('closes its sockets, and calls in flight fail', async () => {
    const platform = await startScriptedPlatform({ 'GET hang': hang, '*': { status: 204 } });
    const closing = make({ trust: { rejectUnauthorized: true } });
    await read(await send(platform, 'x', { by: closing }));

    const hanging = send(platform, 'hang', { by: closing });
    const failure = expect(hanging).rejects.toThrow();
    await eventually(() => platform.requests.length === 2);
    await closing.close();

    await failure;
    await eventually(() => platform.openConnections === 0);
  });
});

const servers = new Set<Server>();
afterAll(() => {
  for (const server of servers) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function startTlsServer(options: TlsOptions): Promise<{ port: number; requests: () => number }> {
  let requests = 0;
  const server = createHttpsServer(options, (_request, response) => {
    requests += 1;
    response.writeHead(204).end();
  });
  server.on('tlsClientError', () => undefined);
  return { port: await listening(server), requests: () => requests };
}

/** Answers at the first byte, and reads none of what follows. */
async function startRefusingServer(how: 'end' | 'destroy' | 'reset'): Promise<{ baseUrl: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      socket.write(
        'HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
        () => {
          if (how === 'reset') socket.resetAndDestroy();
          else if (how === 'destroy') socket.destroy();
          else socket.end(() => socket.destroy());
        },
      );
    });
  });
  return { baseUrl: `http://127.0.0.1:${await listening(server)}/` };
}
