import { randomBytes } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type CallObserver, type PlatformCall } from '../../../src/client/connection/call-report.js';
import { type PlatformClientOptions } from '../../../src/client/connection/client-options.js';
import { type OpenResponse } from '../../../src/client/connection/open-response.js';
import { type Exchange, PlatformConnection } from '../../../src/client/connection/platform-connection.js';
import { type PlatformResponse } from '../../../src/client/connection/platform-response.js';
import { streamBody, textBody } from '../../../src/client/session/request-body.js';
import { largeBytes } from '../../../src/client/transport/read-body.js';
import { redirectTo } from '../../support/embedded-platform/platform-answers.js';
import {
  type Script,
  startScriptedPlatform,
  type ScriptedPlatform,
} from '../../support/embedded-platform/scripted-platform.js';
import { eventually } from '../../support/eventually.js';
import { gate } from '../../support/gate.js';

const KIB = 1024;

const connections = new Set<PlatformConnection>();
afterEach(async () => {
  await Promise.all([...connections].map((connection) => connection.close()));
  connections.clear();
});

interface Made {
  readonly platform: ScriptedPlatform;
  readonly connection: PlatformConnection;
  readonly exchange: (method: string, path: string, more?: Partial<Exchange>) => Promise<PlatformResponse>;
  readonly open: (method: string, path: string, more?: Partial<Exchange>) => Promise<OpenResponse>;
}

/** A connection to a platform, and calls over it that nothing is asked of but what a test says. */
async function connectTo(script: Script, options: Partial<PlatformClientOptions> = {}): Promise<Made> {
  const platform = await startScriptedPlatform(script);
  const connection = new PlatformConnection({ baseUrl: platform.baseUrl, ...options });
  connections.add(connection);
  const exchangeOf = (method: string, path: string, more: Partial<Exchange>): Exchange => ({
    line: { method, url: new URL(path, platform.baseUrl) },
    path,
    circuit: 'data',
    isLogout: false,
    party: ['somebody'],
    headersOf: () => ({}),
    onRedirect: () => undefined,
    mayFollow: true,
    mayRetry: false,
    signal: undefined,
    limits: { timeoutMs: 60_000, queueTimeoutMs: 60_000 },
    maxResponseBytes: undefined,
    onLarge: undefined,
    ...more,
  });
  return {
    platform,
    connection,
    exchange: (method, path, more = {}) => connection.exchange(exchangeOf(method, path, more)),
    open: (method, path, more = {}) => connection.open(exchangeOf(method, path, more)),
  };
}

const failureOf = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => 'succeeded',
    (error: unknown) => error,
  );

describe('a call over a connection', () => {
  it('is followed by its redirects if it may be, as many as are allowed, and tells of each', async () => {
    const { platform, exchange } = await connectTo(
      {
        'POST one': redirectTo('two', 307),
        'POST two': redirectTo('three', 307),
        'POST three': { status: 204 },
      },
      { maxRedirects: 1 },
    );
    const redirects: number[] = [];
    const onRedirect = ({ status }: PlatformResponse): void => void redirects.push(status);

    expect(await exchange('POST', 'one', { maxRedirects: 2, onRedirect })).toMatchObject({ status: 204 });
    expect(redirects).toEqual([307, 307]);
    for (const maxRedirects of [undefined, 0]) {
      expect(await failureOf(exchange('POST', 'one', { maxRedirects }))).toMatchObject({
        kind: 'too-many-redirects',
      });
    }
    const before = platform.count('POST two');
    for (const mayRetry of [true, false]) {
      const unfollowed = await exchange('POST', 'one', { mayFollow: false, mayRetry });
      expect([unfollowed.status, unfollowed.header('location')]).toEqual([307, 'two']);
    }
    expect(platform.count('POST two')).toBe(before);
  });

  it('is repeated once if it may be, also where it follows no redirects', async () => {
    const { exchange, platform } = await connectTo({
      '*': [{ status: 503, headers: { 'Retry-After': '0' } }, { status: 204 }],
    });
    const statusOf = async (path: string, more: Partial<Exchange>): Promise<number> =>
      (await exchange('GET', path, more)).status;

    expect(await statusOf('a', { mayRetry: true })).toBe(204);
    expect(await statusOf('b', { mayRetry: true, mayFollow: false })).toBe(204);
    expect(await statusOf('c', {})).toBe(503);
    expect(await statusOf('d', { mayFollow: false })).toBe(503);
    expect(['a', 'b', 'c', 'd'].map((path) => platform.count(`GET ${path}`))).toEqual([2, 2, 1, 1]);
  });

  it('is not repeated while three others of few are', async () => {
    const held = gate();
    const { exchange, platform } = await connectTo({
      'GET held': async (_request, response) => {
        await held.passed;
        response.writeHead(204).end();
      },
      '*': [
        { status: 503, headers: { 'Retry-After': '0' } },
        async (_request, response) => {
          await held.passed;
          response.writeHead(204).end();
        },
      ],
    });
    const retried = ['a', 'b', 'c'].map((path) => exchange('GET', path, { mayRetry: true }));
    for (const path of ['a', 'b', 'c']) await eventually(() => platform.count(`GET ${path}`) === 2);

    expect((await exchange('GET', 'd', { mayRetry: true })).status).toBe(503);

    const others = Array.from({ length: 20 }, (_, nth) =>
      exchange('GET', 'held', { party: [`other ${nth}`] }),
    );
    const fourth = exchange('GET', 'e', { mayRetry: true });
    await eventually(() => platform.count('GET e') === 2);
    held.open();
    for (const { status } of await Promise.all([...retried, ...others, fourth])) expect(status).toBe(204);
  });

  it('is refused while the platform fails, except to log out, or in another circuit', async () => {
    const { exchange, platform } = await connectTo({ '*': { status: 503 } }, { circuitBreaker: true });
    for (let nth = 0; nth < 50; nth += 1) await exchange('GET', 'things', { party: [`party ${nth % 10}`] });

    expect(await failureOf(exchange('GET', 'things'))).toMatchObject({ reason: 'CIRCUIT_OPEN' });
    expect((await exchange('POST', 'auth/logout', { isLogout: true })).status).toBe(503);
    expect((await exchange('POST', 'auth/login', { circuit: 'auth' })).status).toBe(503);
    expect(platform.count('GET things')).toBe(50);
  });

  it('is never refused for that without a circuit breaker', async () => {
    const { exchange, platform } = await connectTo({ '*': { status: 503 } });
    for (let nth = 0; nth < 60; nth += 1) await exchange('GET', 'things', { party: [`party ${nth % 10}`] });

    expect(platform.count('GET things')).toBe(60);
  });

  it('uses a kept connection if it may be sent again, and a new one otherwise', async () => {
    const { exchange, platform } = await connectTo({ '*': { status: 204 } });
    const url = new URL('things', platform.baseUrl);
    const stream = streamBody(new Blob(['rows']).stream());
    const opened = async (method: string, more: Partial<Exchange> = {}): Promise<number> => {
      const before = platform.connections;
      await exchange(method, 'things', more);
      return platform.connections - before;
    };

    await opened('GET');
    const text = textBody('text/plain', 'rows');
    expect(await opened('GET')).toBe(0);
    expect(await opened('PUT', { line: { method: 'PUT', url, body: text } })).toBe(0);
    expect(await opened('POST', { isLogout: true })).toBe(0);
    expect(await opened('POST', { line: { method: 'POST', url, body: text } })).toBe(1);
    expect(await opened('PUT', { line: { method: 'PUT', url, body: stream } })).toBe(1);
  });

  it('waits until another one of its party has left, however that ended', async () => {
    const { exchange, open } = await connectTo(
      {
        'GET fine': { status: 204 },
        'GET broken': (_request, response) => void response.destroy(),
        'GET file': {
          status: 200,
          headers: { 'content-type': 'application/pdf' },
          body: 'x'.repeat(100_000),
        },
      },
      { maxCallsPerSession: 1 },
    );
    await exchange('GET', 'fine');
    expect(await failureOf(exchange('GET', 'broken'))).toMatchObject({ kind: 'unreachable' });
    const file = await open('GET', 'file');
    let isDone = false;
    const next = exchange('GET', 'fine').finally(() => (isDone = true));
    await open('GET', 'fine', { party: ['somebody else'] });

    expect(isDone).toBe(false);
    expect(await new Response(file.body()).text()).toHaveLength(100_000);
    expect((await next).status).toBe(204);
  });

  it('fails by the stream that is its body, or else by the network', async () => {
    const { exchange, platform } = await connectTo({
      'POST rows': { status: 204 },
      'PUT rows': (_request, response) => void response.destroy(),
    });
    const cause = new Error('disk full');
    const failing = new ReadableStream({
      start: (controller) => {
        controller.error(cause);
      },
    });
    const send = (method: string, body: ReadableStream): Promise<unknown> =>
      failureOf(
        exchange(method, 'rows', {
          line: { method, url: new URL('rows', platform.baseUrl), body: streamBody(body) },
        }),
      );

    expect(await send('POST', failing)).toMatchObject({ kind: 'invalid-request', cause });
    expect(await send('PUT', new Blob(['rows']).stream())).toMatchObject({ kind: 'unreachable' });
    expect(await failureOf(exchange('PUT', 'rows'))).toMatchObject({ kind: 'unreachable' });
  });
});

describe('a connection that is closed', () => {
  it('ends the calls over it, refuses others, and has no socket', async () => {
    const { connection, exchange, platform } = await connectTo({ '*': () => undefined });
    const ended = failureOf(exchange('GET', 'things'));
    await eventually(() => platform.count('GET things') === 1);

    await connection.close();

    const closed = { kind: 'client-closed' };
    expect([await ended, await failureOf(exchange('GET', 'things'))]).toMatchObject([closed, closed]);
    await eventually(() => platform.openConnections === 0);
    expect(platform.count('GET things')).toBe(1);
  });
});

describe('the observers of a connection', () => {
  it('hear for how long a call took', async () => {
    const calls: PlatformCall[] = [];
    const { exchange } = await connectTo({ '*': { status: 204 } }, { onCall: (call) => calls.push(call) });
    const start = performance.now();
    await exchange('GET', 'things');
    const most = performance.now() - start;

    expect(calls[0]?.milliseconds).toBeGreaterThan(0);
    expect(calls[0]?.milliseconds).toBeLessThanOrEqual(most);
  });

  it('hear why a call failed: by what its caller is told', async () => {
    const errors: unknown[] = [];
    const observer: CallObserver = { ended: (_call, error) => errors.push(error) };
    const { exchange, platform } = await connectTo(
      { 'GET hanging': () => undefined, 'GET broken': (_request, response) => void response.destroy() },
      { observeCall: () => observer },
    );
    const cancel = new AbortController();

    const canceled = failureOf(exchange('GET', 'hanging', { signal: cancel.signal }));
    await eventually(() => platform.count('GET hanging') === 1);
    cancel.abort();
    const failures = [await canceled];
    await eventually(() => errors.length === 1);
    failures.push(await failureOf(exchange('GET', 'broken')));

    expect(failures).toMatchObject([{ kind: 'cancelled' }, { kind: 'unreachable' }]);
    expect(errors[0]).toBe(failures[0]);
    expect(errors[1]).toBe(failures[1]);
  });
});

describe('the response to a call', () => {
  it('is complete at the head of a redirect, whose body may never end and is given up', async () => {
    let left = 0;
    const { exchange, open } = await connectTo({
      'GET old': (_request, response) => {
        response.on('close', () => (left += 1));
        response.writeHead(302, { location: 'new' }).write('begun');
      },
      'GET new': { status: 200, body: 'moved' },
    });

    expect((await exchange('GET', 'old')).text()).toBe('moved');
    await eventually(() => left === 1);
    expect(await new Response((await open('GET', 'old')).body()).text()).toBe('moved');
    await eventually(() => left === 2);
    expect((await exchange('GET', 'old', { mayFollow: false })).byteLength).toBe(0);
    await eventually(() => left === 3);
  });

  it('leaves its connection to the next hop where it is a redirect without a body', async () => {
    const { exchange, platform } = await connectTo({
      'GET old': { status: 302, headers: { location: 'new', 'content-length': '0' } },
      'GET new': { status: 204 },
    });

    expect((await exchange('GET', 'old')).status).toBe(204);

    expect(platform.connections).toBe(1);
  });

  it.each(['got', 'undici'] as const)(
    'leaves its connection to the next where it has no body, by %s',
    async (transport) => {
      const { exchange, platform } = await connectTo({ '*': { status: 204 } }, { transport });
      for (let nth = 0; nth < 3; nth += 1) {
        expect((await exchange('GET', 'things')).byteLength).toBe(0);
        await setImmediate();
      }

      expect(platform.connections).toBeLessThan(3);
    },
  );

  it('has nothing to do with the signal of its caller any more when its body has arrived', async () => {
    const { open } = await connectTo({
      '*': { status: 200, headers: { 'content-type': 'application/pdf' }, body: 'x'.repeat(100_000) },
    });
    const { signal } = new AbortController();
    const response = await open('GET', 'things', { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);

    await new Response(response.body()).text();

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is what the platform says where it redirects to nowhere, or is not followed', async () => {
    const { exchange, open } = await connectTo({
      'GET nowhere': { status: 302, body: 'where to?' },
      'GET missing': { status: 404, headers: { location: 'elsewhere' }, body: 'not here' },
      'GET old': { status: 302, headers: { location: 'new' }, body: 'over there' },
    });

    expect((await exchange('GET', 'nowhere')).text()).toBe('where to?');
    expect((await open('GET', 'nowhere')).text()).toBe('where to?');
    expect((await exchange('GET', 'missing')).text()).toBe('not here');
    expect((await open('GET', 'old', { mayFollow: false })).text()).toBe('over there');
  });

  it('is as large as the client or the call allows', async () => {
    const { exchange, open } = await connectTo(
      { '*': { status: 200, headers: { 'content-type': 'application/pdf' }, body: 'x'.repeat(100) } },
      { maxResponseBytes: 99 },
    );

    expect(await failureOf(exchange('GET', 'things'))).toMatchObject({ kind: 'protocol' });
    expect((await exchange('GET', 'things', { maxResponseBytes: 100 })).byteLength).toBe(100);
    expect(await new Response((await open('GET', 'things')).body()).text()).toHaveLength(100);
    const limited = await open('GET', 'things', { maxResponseBytes: 99 });
    expect(await failureOf(new Response(limited.body()).text())).toMatchObject({ kind: 'protocol' });
  });

  it('may be a little longer than that where it is compressed', async () => {
    const content = randomBytes(1000);
    const { exchange } = await connectTo(
      { '*': { status: 200, headers: { 'content-encoding': 'gzip' }, body: gzipSync(content) } },
      { maxResponseBytes: 1000 },
    );

    const response = await exchange('GET', 'things');

    expect(gzipSync(content).byteLength).toBeGreaterThan(1000);
    expect(Buffer.from(response.bytes())).toEqual(content);
  });

  it.each<[string, Record<string, string>]>([
    ['it is not encoded', {}],
    ['its label says nothing', { 'content-encoding': 'identity' }],
    ['its label is wrong, in which case nobody takes it for text', { 'content-encoding': 'gzip' }],
  ])('has all bytes of a large body where %s', async (_where, headers) => {
    const body = 'x'.repeat(600 * KIB);
    const { exchange } = await connectTo({ '*': { status: 200, headers, body } });

    const response = await exchange('GET', 'things');

    expect(response.byteLength).toBe(600 * KIB);
    if (headers['content-encoding'] === 'gzip') expect(() => response.text()).toThrow();
    else expect(response.text()).toBe(body);
  });

  it('gives back the memory of a large body that was packed, as soon as that is unpacked', async () => {
    const content = randomBytes(600 * KIB);
    const packed = gzipSync(content);
    // What other tests have given back in this process is used up first.
    for (const _ of 'ab') largeBytes(KIB);
    const { exchange } = await connectTo({
      '*': { status: 200, headers: { 'content-encoding': 'gzip' }, body: packed },
    });

    const response = await exchange('GET', 'things');

    // What is given out next is not cleared.
    const next = [largeBytes(KIB), largeBytes(KIB)];
    expect(next.some((bytes) => bytes.subarray(0, packed.byteLength).equals(packed))).toBe(true);
    expect(Buffer.from(response.bytes()).equals(content)).toBe(true);
  });

  it('has at most 1,000 header fields, cookies not counted', async () => {
    const fields = (count: number, name: string): string[] =>
      Array.from({ length: count }, (_, nth) => [`${name}${name === 'X-' ? nth : ''}`, `c${nth}=1`]).flat();
    // The platform adds three of its own.
    const { exchange } = await connectTo({
      'GET most': { status: 204, headers: [...fields(997, 'X-')] },
      'GET cookies': { status: 204, headers: [...fields(997, 'X-'), ...fields(20, 'Set-Cookie')] },
      'GET more': { status: 204, headers: [...fields(998, 'X-')] },
    });
    const countOf = async (path: string): Promise<number> =>
      (await exchange('GET', path)).headers.fields.length;

    expect(await countOf('most')).toBe(1000);
    expect(await countOf('cookies')).toBe(1020);
    expect(await failureOf(exchange('GET', 'more'))).toMatchObject({
      kind: 'protocol',
      message: 'The response has more than 1000 header fields.',
    });
  });

  it.each<[string, Buffer, boolean, number]>([
    ['128 KiB', Buffer.alloc(128 * KIB, 'x'), false, 0],
    ['more than 128 KiB', Buffer.alloc(128 * KIB + 1, 'x'), false, 2],
    ['little that unpacks to 128 KiB', Buffer.alloc(128 * KIB, 'x'), true, 0],
    ['little that unpacks to more than 128 KiB', Buffer.alloc(128 * KIB + 1, 'x'), true, 1],
    ['more than 32 KiB that were packed', randomBytes(33 * KIB), true, 1],
    ['much that was packed', randomBytes(129 * KIB), true, 2],
  ])('waits for leave to go on where it is large: %s', async (_what, body, isPacked, expected) => {
    const { exchange } = await connectTo({
      '*': isPacked
        ? { status: 200, headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) }
        : { status: 200, body },
    });
    let asked = 0;
    const onLarge = (): Promise<void> => {
      asked += 1;
      return Promise.resolve();
    };

    const [response, unasked] = [await exchange('GET', 'a', { onLarge }), await exchange('GET', 'a')];

    expect(asked).toBe(expected);
    expect(Buffer.from(response.bytes()).equals(body)).toBe(true);
    expect(Buffer.from(unasked.bytes()).equals(body)).toBe(true);
  });
});
