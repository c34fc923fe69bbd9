import { createSecureServer } from 'node:http2';
import { type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { bytesBody, textBody } from '../../../src/client/session/request-body.js';
import { GotTransport } from '../../../src/client/transport/got-transport.js';
import {
  type HopRequest,
  StaleConnectionError,
  type Transport,
  type TransportFactory,
} from '../../../src/client/transport/transport.js';
import { UndiciTransport } from '../../../src/client/transport/undici-transport.js';
import { makeCertificate } from '../../support/client/certificate.js';
import {
  head,
  startRawAnswerServer,
  type RawAnswer,
  type RawAnswerServer,
} from '../../support/embedded-platform/raw-answer-server.js';
import { eventually } from '../../support/eventually.js';

const GOOD: RawAnswer = { parts: `${head('HTTP/1.1 200 OK', 'Content-Length: 2')}{}` };
const CUT: RawAnswer = { parts: 'HTTP/1.1 2', then: 'reset' };

describe.each<[string, TransportFactory]>([
  ['got', (options) => new GotTransport(options)],
  ['undici', (options) => new UndiciTransport(options)],
])('a kept connection, by %s,', (_name, make) => {
  let transport: Transport | undefined;
  afterEach(async () => {
    await transport?.close();
  });

  /** Calls over a transport that keeps a connection already. */
  async function keptTo(answers: RawAnswer[] = [GOOD]) {
    const server: RawAnswerServer = await startRawAnswerServer({ 'PUT thing': answers });
    const made = (transport = make({ trust: { rejectUnauthorized: true } }));
    const send = async (request: Partial<HopRequest>): Promise<string> => {
      const url = new URL('thing', server.baseUrl);
      const { signal } = new AbortController();
      const { body } = await made.send({ method: 'PUT', url, headers: {}, signal, ...request });
      return (await body.toArray()).join('');
    };
    const put = (signal = new AbortController().signal, needsNewConnection = false): Promise<string> =>
      send({ signal, needsNewConnection });
    await put();
    // undici uses a connection again only in a later turn of the event loop.
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    return { server, put, send };
  }

  it('is used again', async () => {
    const { server, put } = await keptTo();

    expect(await put()).toBe('{}');
    expect(server.connections).toBe(1);
  });

  it('is not used where a new one is asked for, which is closed afterwards', async () => {
    const { server, put } = await keptTo();

    expect(await put(undefined, true)).toBe('{}');
    expect(server.connections).toBe(2);
    await eventually(() => server.openConnections === 1);
  });

  it.each(['close', 'reset-on-next-use'] as const)(
    'that ends by a %s when a request was made for it is told from a failure',
    async (how) => {
      const { server, put } = await keptTo();
      await setImmediate();
      server.treatIdle(how);

      // In the same turn, so that the end is noticed when the request is there already.
      const outcome = await put().catch((error: unknown) => error);

      if (outcome !== '{}') expect(outcome).toBeInstanceOf(StaleConnectionError);
      else expect(server.connections).toBe(2);
    },
  );

  it('that is reset when a request was made for it is told from a failure as well', async () => {
    const { server, put } = await keptTo();
    await setImmediate();
    server.treatIdle('reset');

    await expect(put()).rejects.toBeInstanceOf(StaleConnectionError);
  });

  it('that ends after the first byte of an answer is a failure', async () => {
    const { put } = await keptTo([GOOD, CUT]);

    await expect(put()).rejects.not.toBeInstanceOf(StaleConnectionError);
  });

  it('that is left by its caller is no failure of the connection', async () => {
    const silent = { parts: () => new Promise(() => undefined) };
    const { server, put } = await keptTo([GOOD, silent]);
    const cancel = new AbortController();
    const call = put(cancel.signal);
    await eventually(() => server.count('PUT thing') === 2);
    cancel.abort(new Error('mine'));

    await expect(call).rejects.not.toBeInstanceOf(StaleConnectionError);
  });

  it('is closed with the transport, and so is a new one, whose call fails', async () => {
    const silent = { parts: () => new Promise(() => undefined) };
    const { server, put } = await keptTo([GOOD, silent]);
    const call = put(undefined, true);
    const failed = expect(call).rejects.toBeInstanceOf(Error);
    await eventually(() => server.count('PUT thing') === 2);
    expect(server.openConnections).toBe(2);

    await transport?.close();

    await failed;
    await eventually(() => server.openConnections === 0);
  });

  it.each([false, true])(
    'carries a body with its length, also if it is new: %s',
    async (needsNewConnection) => {
      const { server, send } = await keptTo();
      for (const [body, sent] of [
        [textBody('text/plain', 'caf\u00e9'), 'caf\u00e9'],
        [bytesBody(Buffer.from('bytes')), 'bytes'],
      ] as const) {
        await send({ body, needsNewConnection });

        expect(server.requests.at(-1)).toMatchObject({
          headers: { 'content-length': '5' },
          body: sent,
        });
      }
    },
  );

  it('speaks HTTP/1.1 where the server offers HTTP/2 too, also if it is new', async () => {
    const { key, cert } = await makeCertificate();
    const server = createSecureServer({ key, cert, allowHTTP1: true }, (request, response) => {
      response.end(request.httpVersion);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const made = (transport = make({ trust: { rejectUnauthorized: true, ca: cert } }));
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    for (const needsNewConnection of [false, true]) {
      const { signal } = new AbortController();
      const { body } = await made.send({ method: 'GET', url, headers: {}, signal, needsNewConnection });

      expect((await body.toArray()).join('')).toBe('1.1');
    }
    await made.close();
    server.close();
  });

  it('that is new and ends before an answer is a failure', async () => {
    const { put } = await keptTo([GOOD, { parts: [], then: 'reset' }]);

    await expect(put(undefined, true)).rejects.not.toBeInstanceOf(StaleConnectionError);
  });
});
