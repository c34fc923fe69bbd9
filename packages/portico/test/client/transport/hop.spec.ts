import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { standardBody, streamBody } from '../../../src/client/session/request-body.js';
import { GotTransport } from '../../../src/client/transport/got-transport.js';
import { networkFailure } from '../../../src/client/transport/network-failure.js';
import { readProxy } from '../../../src/client/transport/proxy.js';
import {
  type ConnectionOptions,
  type HopRequest,
  type HopResponse,
  ProtocolViolation,
  ProxyRefusal,
  type Transport,
  type TransportFactory,
} from '../../../src/client/transport/transport.js';
import { UndiciTransport } from '../../../src/client/transport/undici-transport.js';
import { makeCertificate } from '../../support/client/certificate.js';
import { redirectTo } from '../../support/embedded-platform/platform-answers.js';
import {
  head,
  type RawAnswer,
  startRawAnswerServer,
} from '../../support/embedded-platform/raw-answer-server.js';
import { startScriptedPlatform } from '../../support/embedded-platform/scripted-platform.js';
import { eventually } from '../../support/eventually.js';
import { gate } from '../../support/gate.js';
import { startHttpProxy } from '../../support/http-proxy.js';

const GOOD: RawAnswer = { parts: `${head('HTTP/1.1 200 OK', 'Content-Length: 2')}{}` };

describe.each<[string, TransportFactory]>([
  ['got', (options) => new GotTransport(options)],
  ['undici', (options) => new UndiciTransport(options)],
])('a hop, by %s,', (name, make) => {
  const transports = new Set<Transport>();
  afterEach(async () => {
    await Promise.all([...transports].map((transport) => transport.close()));
    transports.clear();
  });

  /** What sends hops by a transport of its own. */
  function sender(options: Partial<ConnectionOptions> = {}) {
    const transport = make({ trust: { rejectUnauthorized: true }, ...options });
    transports.add(transport);
    return (baseUrl: string, path: string, more: Partial<HopRequest> = {}): Promise<HopResponse> => {
      const url = new URL(path, baseUrl);
      return transport.send({
        method: 'GET',
        url,
        headers: {},
        signal: new AbortController().signal,
        ...more,
      });
    };
  }
  const textOf = async ({ body }: HopResponse): Promise<string> =>
    Buffer.concat((await body.toArray()) as Buffer[]).toString('latin1');
  const failureOf = (outcome: Promise<unknown>): Promise<unknown> =>
    outcome.then(
      () => 'succeeded',
      (error: unknown) => error,
    );
  /** undici uses a connection again only in a later turn of the event loop. */
  const untilIdle = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  };

  it('brings what the platform answers: it follows nothing, decodes nothing and asks once', async () => {
    const send = sender();
    const packed = gzipSync('content');
    const platform = await startScriptedPlatform({
      'GET moved': redirectTo('there'),
      'GET busy': { status: 503, headers: { 'retry-after': '0' } },
      'GET packed': { status: 200, headers: { 'content-encoding': 'gzip' }, body: packed },
    });
    const responses = [];
    for (const path of ['moved', 'busy', 'packed']) {
      const response = await send(platform.baseUrl, path);
      responses.push([response.status, await textOf(response)]);
    }

    expect(responses).toEqual([
      [302, ''],
      [503, ''],
      [200, packed.toString('latin1')],
    ]);
    expect(platform.requests).toHaveLength(3);
  });

  it.each([false, true])(
    'trusts the certificates that it is told to, over a new connection: %s',
    async (isNew) => {
      const [known, unknown] = [await makeCertificate(), await makeCertificate()];
      const platformWith = (tls: typeof known) => startScriptedPlatform({ '*': { status: 204 } }, { tls });
      const [{ baseUrl }, other] = [await platformWith(known), await platformWith(unknown)];
      const trusting = sender({ trust: { rejectUnauthorized: true, ca: known.cert } });
      const careless = sender({ trust: { rejectUnauthorized: false } });
      const outcome = (send: typeof trusting, base: string): Promise<unknown> =>
        send(base, 'x', { needsNewConnection: isNew }).catch(networkFailure);

      expect([
        await outcome(trusting, baseUrl),
        await outcome(trusting, other.baseUrl),
        await outcome(sender(), baseUrl),
        await outcome(careless, other.baseUrl),
      ]).toMatchObject([{ status: 204 }, { reason: 'TLS' }, { reason: 'TLS' }, { status: 204 }]);
    },
  );

  it('carries a stream as it comes', async () => {
    const platform = await startScriptedPlatform({ 'PUT rows': { status: 204 } });
    async function* rows(): AsyncGenerator<string> {
      yield 'one,';
      await setImmediate();
      yield 'two';
    }

    await sender()(platform.baseUrl, 'rows', { method: 'PUT', body: streamBody(rows()) });

    expect(platform.requests[0]).toMatchObject({
      body: 'one,two',
      headers: { 'transfer-encoding': 'chunked' },
    });
  });

  it('carries its headers and the length of its body, where that is known', async () => {
    const platform = await startScriptedPlatform({ 'PUT rows': { status: 204 } });
    const send = sender();
    for (const body of ['rows', new Blob(['rows'])].map(standardBody)) {
      await send(platform.baseUrl, 'rows', { method: 'PUT', body, headers: { 'x-own': 'a' } });
    }

    const expected = { body: 'rows', headers: { 'content-length': '4', 'x-own': 'a' } };
    expect(platform.requests).toMatchObject([expected, expected]);
    for (const { headers } of platform.requests) expect(headers).not.toHaveProperty('transfer-encoding');
  });

  it('fails with its stream, and closes the connection on which that broke off', async () => {
    const server = await startRawAnswerServer({});
    const full = new Error('disk full');
    async function* rows(): AsyncGenerator<string> {
      yield 'one,';
      await eventually(() => server.openConnections === 1);
      throw full;
    }
    const body = streamBody(rows());

    const failure = await failureOf(sender()(server.baseUrl, 'rows', { method: 'PUT', body }));

    expect(failure).toBeInstanceOf(Error);
    expect(body.failure).toBe(full);
    await eventually(() => server.openConnections === 0);
  });

  it('that is left reads no more of its stream', async () => {
    const server = await startRawAnswerServer({});
    const cancel = new AbortController();
    let isOver = false;
    async function* rows(): AsyncGenerator<string> {
      try {
        for (;;) {
          yield 'row';
          await setImmediate();
        }
      } finally {
        isOver = true;
      }
    }

    const failure = failureOf(
      sender()(server.baseUrl, 'rows', { method: 'PUT', body: streamBody(rows()), signal: cancel.signal }),
    );
    await eventually(() => server.openConnections === 1);
    cancel.abort();

    expect(await failure).toBeInstanceOf(Error);
    await eventually(() => isOver);
  });

  it('takes a hundred interim responses, and no more', async () => {
    const interim = head('HTTP/1.1 102 Processing');
    const server = await startRawAnswerServer({
      'GET hundred': { parts: [interim.repeat(100), GOOD.parts as string] },
      'GET more': { parts: [interim.repeat(101), GOOD.parts as string] },
    });
    const send = sender();

    expect((await send(server.baseUrl, 'hundred')).status).toBe(200);
    const failure = await failureOf(send(server.baseUrl, 'more'));

    expect(failure).toBeInstanceOf(ProtocolViolation);
    expect(failure).toMatchObject({ code: 'HPE_TOO_MANY_INTERIM' });
    await eventually(() => server.openConnections <= 1);
  });

  it('takes no change of the protocol, and closes the connection', async () => {
    const server = await startRawAnswerServer({
      '*': { parts: head('HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: chat') },
    });

    const failure = await failureOf(sender()(server.baseUrl, 'things'));

    expect(failure).toMatchObject({ constructor: ProtocolViolation, code: 'HPE_INVALID_STATUS' });
    await eventually(() => server.openConnections === 0);
  });

  it.each<[string, string, string[]]>([
    ['HEAD', 'HTTP/1.1 200 OK', ['Content-Length: 5']],
    ['HEAD', 'HTTP/1.1 200 OK', ['Transfer-Encoding: chunked']],
    ['HEAD', 'HTTP/1.1 407 Proxy Authentication Required', ['Content-Length: 0']],
    ['GET', 'HTTP/1.1 204 No Content', []],
    ['GET', 'HTTP/1.1 204 No Content', ['Content-Length: 0']],
    ['GET', 'HTTP/1.1 304 Not Modified', []],
  ])(
    'is complete with its head, and leaves its connection to the next: %s, %s, %j',
    async (method, line, more) => {
      const server = await startRawAnswerServer({ '*': { parts: head(line, ...more) } });
      const send = sender();
      for (let nth = 0; nth < 2; nth += 1) {
        expect(await textOf(await send(server.baseUrl, 'things', { method }))).toBe('');
        await untilIdle();
      }

      // undici itself uses none again after a HEAD.
      const expected = name === 'undici' && method === 'HEAD' ? 2 : 1;
      expect([server.connections, server.requests.length]).toEqual([expected, 2]);
    },
  );

  const BODILESS: [string, string, string, string][] = [
    ['GET', 'HTTP/1.1 204 No Content', 'Content-Length: 5', 'never'],
    ['GET', 'HTTP/1.1 204 No Content', 'Transfer-Encoding: chunked', '5\r\nnever\r\n0\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified', 'Content-Length: 5', 'never'],
  ];

  it.each([...BODILESS, ['HEAD', 'HTTP/1.1 200 OK', 'Content-Length: 5', 'never'] as const])(
    'is complete with its head, although a body follows that there cannot be: %s, %s, %s',
    async (method, line, field, body) => {
      const server = await startRawAnswerServer({
        '*': { parts: `${head(line, field)}${body}` },
        'GET good': GOOD,
      });
      const send = sender();

      const odd = await failureOf(send(server.baseUrl, 'odd', { method }).then(textOf));
      await untilIdle();

      // undici may call it a fault of the answer.
      if (name === 'got') expect(odd).toBe('succeeded');
      expect(await textOf(await send(server.baseUrl, 'good'))).toBe('{}');
      expect(server.connections).toBe(2);
    },
  );

  it.each(BODILESS)(
    'leaves no body that there cannot be to the next: %s, %s, %s',
    async (method, line, field, body) => {
      const late = gate();
      const server = await startRawAnswerServer({
        '*': { parts: [head(line, field), () => late.passed, body] },
        'GET good': GOOD,
      });
      const send = sender();
      await failureOf(send(server.baseUrl, 'odd', { method }).then(textOf));
      await untilIdle();

      const good = send(server.baseUrl, 'good').then(textOf);
      late.open();

      expect(await good).toBe('{}');
    },
  );

  it('keeps a connection for no longer than it may, or than the platform says', async () => {
    const server = await startRawAnswerServer({
      'GET long': GOOD,
      'GET short': { parts: `${head('HTTP/1.1 200 OK', 'Content-Length: 2', 'Keep-Alive: timeout=1')}{}` },
    });
    const send = sender({ maxIdleMs: 20 });
    await textOf(await send(server.baseUrl, 'long'));
    await eventually(() => server.openConnections === 0);

    const patient = sender();
    for (const path of ['short', 'long', 'long']) {
      await textOf(await patient(server.baseUrl, path));
      await untilIdle();
    }
    expect(server.connections).toBe(3);
  });

  describe('through a proxy,', () => {
    it.each([
      [407, 'GET', false],
      [407, 'HEAD', false],
      [407, 'GET', true],
    ])('is refused by %d to a %s, TLS: %s', async (status, method, isTls) => {
      const certificate = await makeCertificate();
      const platform = await startScriptedPlatform({}, isTls ? { tls: certificate } : {});
      const proxy = await startHttpProxy('user:password');
      const send = sender({
        trust: { rejectUnauthorized: false },
        proxy: readProxy(`http://user:wrong@127.0.0.1:${proxy.port}`, ''),
      });

      for (const needsNewConnection of [false, true]) {
        const failure = await failureOf(send(platform.baseUrl, 'x', { method, needsNewConnection }));

        expect(failure).toMatchObject({ constructor: ProxyRefusal, status: String(status) });
      }
      expect(platform.requests).toEqual([]);
    });

    it('is told from a platform without one that wants credentials', async () => {
      const platform = await startScriptedPlatform({ '*': { status: 407 } });
      const proxy = await startHttpProxy();
      const send = sender({ proxy: readProxy(proxy.url, '127.0.0.1') });

      expect((await send(platform.baseUrl, 'x')).status).toBe(407);
      expect((await sender()(platform.baseUrl, 'x')).status).toBe(407);
    });

    it('trusts no other certificates, and keeps its tunnel unless it asks for a new one, which is closed afterwards', async () => {
      const tls = await makeCertificate();
      const platform = await startScriptedPlatform({ '*': { status: 200, body: {} } }, { tls });
      const proxy = await startHttpProxy();
      const send = sender({
        trust: { rejectUnauthorized: true, ca: tls.cert },
        proxy: readProxy(proxy.url, ''),
      });
      const opened = async (needsNewConnection: boolean): Promise<number> => {
        const before = platform.connections;
        await textOf(await send(platform.baseUrl, 'x', { needsNewConnection }));
        await untilIdle();
        return platform.connections - before;
      };

      const distrusting = sender({ proxy: readProxy(proxy.url, '') });
      const refused = distrusting(platform.baseUrl, 'x').catch(networkFailure);
      expect(await refused).toMatchObject({ reason: 'TLS' });
      expect([await opened(false), await opened(false)]).toEqual([1, 0]);
      expect([await opened(true), await opened(true)]).toEqual([1, 1]);
      await eventually(() => platform.openConnections === 1);

      await Promise.all([...transports].map((transport) => transport.close()));
      await eventually(() => platform.openConnections === 0);
    });

    it('is passed on whole where it needs no tunnel, also over a new connection', async () => {
      const platform = await startScriptedPlatform({ '*': { status: 200, body: {} } });
      const proxy = await startHttpProxy();
      const send = sender({ proxy: readProxy(proxy.url, '') });
      for (const needsNewConnection of [false, true]) {
        await textOf(await send(platform.baseUrl, 'x', { needsNewConnection }));
      }

      const target = `${platform.baseUrl}x`;
      expect(proxy.requests).toMatchObject([
        { method: 'GET', target },
        { method: 'GET', target },
      ]);
    });
  });
});
