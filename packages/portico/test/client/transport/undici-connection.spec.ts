import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { networkFailure } from '../../../src/client/transport/network-failure.js';
import {
  type HopRequest,
  ProtocolViolation,
  StaleConnectionError,
  UnreadableContinueError,
} from '../../../src/client/transport/transport.js';
import { UndiciConnection } from '../../../src/client/transport/undici-connection.js';
import { UndiciTransport } from '../../../src/client/transport/undici-transport.js';
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
      const failure = await failureOf(path);

      expect(failure).toBeInstanceOf(Error);
      expect(failure).not.toBeInstanceOf(StaleConnectionError);
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

  it('that could not be opened is no kept one', async () => {
    const { server, send, failureOf } = await connected({ '*': GOOD });
    await send('things');
    await server.close();
    await eventually(() => server.openConnections === 0);
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();

    const failure = await failureOf('things');

    expect(failure).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('is closed after its only request at once, however long it might be kept', async () => {
    const { server, send } = await connected({ '*': GOOD }, 600_000);

    await send('things', { needsNewConnection: true });

    await eventually(() => server.openConnections === 0);
  });

  it('tells each handler what that listens to', async () => {
    const server = await startRawAnswerServer({ '*': GOOD });
    const connection = new UndiciConnection(new URL(server.baseUrl).origin, { connect: {} });
    for (let nth = 0; nth < 2; nth += 1) {
      const ended = Promise.withResolvers<undefined>();
      connection.dispatch(
        { path: '/api/things', method: 'GET' },
        {
          onResponseEnd: () => {
            ended.resolve(undefined);
          },
          onResponseError: (_controller, error) => {
            ended.reject(error);
          },
        },
      );
      await ended.promise;
    }
    connection.dispatch({ path: '/api/things', method: 'GET' }, {});
    await eventually(() => server.requests.length === 3);
    await connection.close();

    expect(server.connections).toBe(1);
  });
});
