import { type EventEmitter } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { networkFailure } from '../../../src/client/transport/network-failure.js';
import {
  type HopRequest,
  ProtocolViolation,
  UnreadableContinueError,
} from '../../../src/client/transport/transport.js';
import { UndiciConnection } from '../../../src/client/transport/undici-connection.js';
import { UndiciTransport } from '../../../src/client/transport/undici-transport.js';
import { makeCertificate } from '../../support/client/certificate.js';
import {
  head,
  type RawAnswer,
  type RawAnswers,
  startRawAnswerServer,
} from '../../support/embedded-platform/raw-answer-server.js';
import { eventually } from '../../support/eventually.js';

const GOOD: RawAnswer = { parts: `${head('HTTP/1.1 200 OK', 'Content-Length: 2')}{}` };
const OK = 'HTTP/1.1 200 OK';

describe('a connection of undici', () => {
  let transport: UndiciTransport | undefined;
  afterEach(async () => {
    await transport?.close();
  });

  async function connected(answers: RawAnswers, maxIdleMs = 4000) {
    const server = await startRawAnswerServer(answers);
    const made = (transport = new UndiciTransport({ trust: { rejectUnauthorized: true }, maxIdleMs }));
    const send = async (path: string, more: Partial<HopRequest> = {}): Promise<string> => {
      const url = new URL(path, server.baseUrl);
      const { signal } = new AbortController();
      const { body } = await made.send({ method: 'PUT', url, headers: {}, signal, ...more });
      return (await body.toArray()).join('');
    };
    const failureOf = (path: string, more: Partial<HopRequest> = {}): Promise<unknown> =>
      send(path, more).catch((error: unknown) => error);
    return { server, send, failureOf };
  }

  it.each<[string, string, string[]]>([
    ['two lengths', 'HPE_INVALID_CONTENT_LENGTH', ['Content-Length: 2', 'Content-Length: 3']],
    ['the same length twice', 'HPE_INVALID_CONTENT_LENGTH', ['Content-Length: 2', 'Content-Length: 2']],
    ['a length that is no number', 'HPE_NOT_HTTP', ['Content-Length: two']],
  ])('calls %s a fault of the answer', async (_what, code, lengths) => {
    const { failureOf } = await connected({ '*': { parts: `${head(OK, ...lengths)}{}` } });

    for (const needsNewConnection of [false, true]) {
      expect(networkFailure(await failureOf('things', { needsNewConnection })).message).toBe(
        `The response of the platform violates HTTP (${code}).`,
      );
    }
  });

  it('takes a length with a space after it', async () => {
    const { send } = await connected({ '*': { parts: `${head(OK, 'Content-Length: 2 ')}{}` } });

    for (const needsNewConnection of [false, true]) {
      expect(await send('things', { needsNewConnection })).toBe('{}');
    }
  });

  it('does not take a body that is too short for its length', async () => {
    const { failureOf } = await connected({
      '*': { parts: `${head(OK, 'Content-Length: 3')}{}`, then: 'close' },
      'PUT spaced': { parts: `${head(OK, 'Content-Length: 3 ')}{}`, then: 'close' },
    });

    for (const path of ['things', 'spaced']) {
      expect(networkFailure(await failureOf(path))).toMatchObject({ kind: 'unreachable', reason: 'CONNECT' });
    }
  });

  it('says what it cannot read: a 100 Continue that nobody asked for', async () => {
    const { failureOf } = await connected({
      '*': { parts: [head('HTTP/1.1 100 Continue'), GOOD.parts as string] },
    });

    expect(await failureOf('things')).toBeInstanceOf(UnreadableContinueError);
  });

  it('calls a change of the protocol a fault of the answer', async () => {
    const { failureOf } = await connected({
      '*': { parts: head('HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: chat') },
    });

    const failure = await failureOf('things');

    expect(failure).toBeInstanceOf(ProtocolViolation);
    expect(failure).toMatchObject({ code: 'HPE_INVALID_STATUS' });
  });

  it('takes an end within a chunk for a broken connection, also after it was announced', async () => {
    const chunked = head(OK, 'Transfer-Encoding: chunked', 'Connection: close');
    const { failureOf } = await connected({ '*': { parts: `${chunked}5\r\n{`, then: 'close' } });

    expect(await failureOf('things')).toMatchObject({ code: 'ECONNRESET' });
  });

  it.each([false, true])(
    'fails with the first error of its socket, if new: %s',
    async (needsNewConnection) => {
      const { failureOf } = await connected({ '*': { parts: [], then: 'reset' } });

      expect(await failureOf('things', { needsNewConnection })).toMatchObject({ code: 'ECONNRESET' });
    },
  );

  it('fails with the end of its socket where that had no error', async () => {
    const { failureOf } = await connected({ '*': { parts: [], then: 'close' } });

    expect(await failureOf('things')).toMatchObject({ code: 'UND_ERR_SOCKET' });
  });

  it('has forgotten the error of an earlier socket', async () => {
    const { failureOf } = await connected({
      'PUT reset': { parts: [], then: 'reset' },
      'PUT closed': { parts: [], then: 'close' },
    });

    expect(await failureOf('reset')).toMatchObject({ code: 'ECONNRESET' });
    expect(await failureOf('closed')).toMatchObject({ code: 'UND_ERR_SOCKET' });
  });

  it('takes a refusal of TLS for what it is, although its end is reported last', async () => {
    const { key, cert } = await makeCertificate();
    const server = createHttpsServer({ key, cert, requestCert: true, rejectUnauthorized: true });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const made = (transport = new UndiciTransport({ trust: { rejectUnauthorized: false } }));
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    for (const needsNewConnection of [false, true]) {
      const { signal } = new AbortController();
      const refused = made.send({ method: 'GET', url, headers: {}, signal, needsNewConnection });

      expect(await refused.catch(networkFailure)).toMatchObject({ reason: 'TLS' });
    }
    server.close();
  });

  it('is closed after its only request at once, however long it might be kept', async () => {
    const { server, send } = await connected({ '*': GOOD }, 600_000);

    await send('things', { needsNewConnection: true });

    await eventually(() => server.openConnections === 0);
  });

  describe('by itself,', () => {
    const REQUEST = { path: '/api/things', method: 'GET' } as const;
    const connectionTo = ({ baseUrl }: { baseUrl: string }): UndiciConnection =>
      new UndiciConnection(new URL(baseUrl).origin, { connect: {} });
    const outcome = (connection: UndiciConnection): Promise<unknown> =>
      new Promise((resolve) => {
        connection.dispatch(REQUEST, {
          onResponseEnd: () => {
            resolve('complete');
          },
          onResponseError: (_controller, error) => {
            resolve(error);
          },
        });
      });

    it('serves a handler that listens to nothing like any other', async () => {
      const server = await startRawAnswerServer({ '*': GOOD });
      const connection = connectionTo(server);

      connection.dispatch(REQUEST, {});
      expect([await outcome(connection), await outcome(connection)]).toEqual(['complete', 'complete']);
      await connection.close();

      expect([server.requests.length, server.connections]).toEqual([3, 1]);
    });

    it.each<[string, RawAnswer]>([
      ['a broken connection', { parts: [], then: 'reset' }],
      ['an odd answer', { parts: 'odd', then: 'close' }],
      ['a length with a space after it', { parts: `${head(OK, 'Content-Length: 2 ')}{}`, then: 'close' }],
    ])('reports %s to nobody where the handler does not listen', async (_what, answer) => {
      const server = await startRawAnswerServer({ '*': [GOOD, answer], 'GET first': answer });
      const [fresh, kept] = [connectionTo(server), connectionTo(server)];
      const errors: unknown[] = [];
      for (const connection of [fresh, kept] as EventEmitter[]) {
        connection.on('error', (error) => errors.push(error));
      }
      await outcome(kept);

      fresh.dispatch({ path: '/api/first', method: 'GET' }, {});
      kept.dispatch(REQUEST, {});
      await eventually(() => server.requests.length === 3 && server.openConnections === 0);
      await Promise.all([fresh.close(), kept.close()]);

      expect(errors).toEqual([]);
    });

    it('tells of a change of the protocol that was asked for', async () => {
      const server = await startRawAnswerServer({
        '*': { parts: head('HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: chat') },
      });
      const connection = connectionTo(server);
      const status = await new Promise((resolve, reject) => {
        connection.dispatch(
          { ...REQUEST, upgrade: 'chat' },
          {
            onRequestUpgrade: (_controller, code, _headers, socket) => {
              socket.destroy();
              resolve(code);
            },
            onResponseError: (_controller, error) => {
              reject(error);
            },
          },
        );
      });

      expect(status).toBe(101);
      await connection.destroy();
    });

    it('does not take the connection before for one that could not be opened', async () => {
      const server = await startRawAnswerServer({ '*': GOOD });
      const connection = connectionTo(server);
      await outcome(connection);
      await server.close();
      await eventually(() => !connection.stats.connected);

      expect(await outcome(connection)).toMatchObject({ code: 'ECONNREFUSED' });
      await connection.destroy();
    });

    it.each<[string, RawAnswer, string[]]>([
      ['before it says so, where that is complete', GOOD, ['closed', 'complete']],
      ['after it says so, where that has failed', { parts: [], then: 'reset' }, ['failed', 'closed']],
    ])('is done with its only request %s', async (_when, answer, expected) => {
      const server = await startRawAnswerServer({ '*': answer });
      const connection = connectionTo(server);
      const heard: string[] = [];
      connection.dispatchOnly(
        REQUEST,
        {
          onResponseEnd: () => void heard.push('complete'),
          onResponseError: () => void heard.push('failed'),
        },
        () => void heard.push('closed'),
      );
      await eventually(() => heard.length === 2);

      expect(heard).toEqual(expected);
      await eventually(() => server.openConnections === 0);
      await connection.destroy();
    });
  });
});
