import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';

import { describe, expect, it } from 'vitest';

import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { gate } from '../../../packages/portico/test/support/gate.js';
import {
  head,
  type RawAnswerServer,
  startRawAnswerServer,
} from '../../../packages/portico/test/support/embedded-platform/raw-answer-server.js';

const OK = { parts: head('HTTP/1.1 200 OK', 'Content-Length: 2') + '{}' };

/** Sends bytes to the server; gives what came back, in the pieces of its arrival, and how the connection ended. */
function openConnection(server: RawAnswerServer): {
  send: (bytes: string) => void;
  pieces: string[];
  ended: Promise<string>;
} {
  const socket = connect(server.port, '127.0.0.1').setEncoding('latin1').setNoDelay();
  const pieces: string[] = [];
  socket.on('data', (piece: string) => pieces.push(piece));
  const ended = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? '');
    });
    socket.on('close', () => {
      resolve('closed');
    });
  });
  return { send: (bytes) => socket.write(bytes, 'latin1'), pieces, ended };
}

const get = (path: string): string => `GET /api/${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe('the server of raw answers', () => {
  it('answers with the given bytes and no other, whatever they are', async () => {
    const bytes = '\xff\x00 not HTTP\r\n';
    const server = await startRawAnswerServer({ 'GET odd': { parts: bytes, then: 'close' } });
    const connection = openConnection(server);

    connection.send(get('odd?query=1'));

    expect(await connection.ended).toBe('closed');
    expect(connection.pieces.join('')).toBe(bytes);
  });

  it('answers by method and path, or by * for the rest, a list in turn and its last answer from then on', async () => {
    const server = await startRawAnswerServer({
      'GET list': [{ parts: 'one' }, { parts: 'two' }],
      '*': { parts: 'rest', then: 'close' },
    });
    const connection = openConnection(server);

    connection.send(get('list') + get('list') + get('list') + get('other'));

    expect(await connection.ended).toBe('closed');
    expect(connection.pieces.join('')).toBe('onetwotworest');
    expect(server.count('GET list')).toBe(3);
  });

  it('reads bodies by their length and in chunks, however the bytes are cut', async () => {
    const server = await startRawAnswerServer({ '*': OK });
    const connection = openConnection(server);
    const requests =
      'POST /api/a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{"a"}' +
      'PUT /api/b HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX-Two:  2 \r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n' +
      get('c');

    for (const byte of requests) connection.send(byte);
    await eventually(() => server.requests.length === 3);

    expect(server.requests).toMatchObject([
      { connection: 1, method: 'POST', target: '/api/a', body: '{"a"}' },
      { connection: 1, method: 'PUT', target: '/api/b', body: 'abc0123456789', headers: { 'x-two': '2' } },
      { connection: 1, method: 'GET', target: '/api/c', body: '' },
    ]);
  });

  it('sends interim responses and parts on their own, and waits where it is told to', async () => {
    const hold = gate();
    const server = await startRawAnswerServer({
      '*': { parts: [head('HTTP/1.1 100 Continue'), 'a', () => hold.passed, 'b'], then: 'close' },
    });
    const connection = openConnection(server);
    connection.send(get(''));
    await eventually(() => connection.pieces.join('').endsWith('a'));
    expect(connection.pieces.join('')).toBe('HTTP/1.1 100 Continue\r\n\r\na');

    hold.open();

    expect(await connection.ended).toBe('closed');
    expect(connection.pieces.join('')).toBe('HTTP/1.1 100 Continue\r\n\r\nab');
  });

  it('closes after each answer without announcing it', async () => {
    const server = await startRawAnswerServer({ '*': OK }, { afterAnswer: 'close' });

    for (let call = 0; call < 3; call += 1) {
      const connection = openConnection(server);
      connection.send(get('sessions'));
      expect(await connection.ended).toBe('closed');
      expect(connection.pieces.join('')).toBe(OK.parts);
    }

    expect(server.connections).toBe(3);
    await eventually(() => server.openConnections === 0);
  });

  it('resets a connection instead of answering', async () => {
    const server = await startRawAnswerServer({ '*': { parts: [], then: 'reset' } });
    const connection = openConnection(server);

    connection.send(get('sessions'));

    expect(await connection.ended).toBe('ECONNRESET');
    expect(server.requests).toHaveLength(1);
  });

  it('resets a connection in the middle of an answer, after the bytes before it', async () => {
    const part = head('HTTP/1.1 200 OK', 'Content-Length: 9') + '[1,';
    const server = await startRawAnswerServer({ '*': { parts: part, then: 'reset' } });
    const connection = openConnection(server);

    connection.send(get('projects'));

    expect(await connection.ended).toBe('ECONNRESET');
    expect(connection.pieces.join('')).toBe(part);
  });

  it('resets idle connections on their next use, without reading the request', async () => {
    const server = await startRawAnswerServer({ '*': OK });
    const agent = new Agent({ keepAlive: true });
    const call = async (): Promise<number> => {
      const sent = request(`${server.baseUrl}sessions`, { agent, method: 'PUT' }).end();
      const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
      await once(response.resume(), 'end');
      return response.statusCode;
    };
    expect(await call()).toBe(200);
    await eventually(() => Object.keys(agent.freeSockets).length === 1);

    server.treatIdle('reset-on-next-use');

    await expect(call()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await call()).toBe(200);
    expect({ ...server, requests: server.requests.length }).toMatchObject({
      requests: 2,
      connections: 2,
      resetsOnUse: 1,
    });
    agent.destroy();
  });

  it('closes or resets idle connections at once', async () => {
    const server = await startRawAnswerServer({ '*': OK });
    const [first, second] = [openConnection(server), openConnection(server)];
    await eventually(() => server.openConnections === 2);
    server.treatIdle('reset');
    expect([await first.ended, await second.ended]).toEqual(['ECONNRESET', 'ECONNRESET']);

    const third = openConnection(server);
    await eventually(() => server.connections === 3);
    server.treatIdle('close');
    expect(await third.ended).toBe('closed');
  });

  it('leaves a connection alone whose answer is under way', async () => {
    const hold = gate();
    const server = await startRawAnswerServer({ '*': { parts: [() => hold.passed, 'late'], then: 'close' } });
    const busy = openConnection(server);
    busy.send(get('slow'));
    await eventually(() => server.requests.length === 1);

    server.treatIdle('reset');
    hold.open();

    expect(await busy.ended).toBe('closed');
    expect(busy.pieces.join('')).toBe('late');
  });
});
