import { createServer, type Server } from 'node:https';
import { type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { PlatformClient, PlatformUnreachableError, type PlatformSession } from '../../../src/client/index.js';
import { GotTransport } from '../../../src/client/transport/got-transport.js';
import { type TransportFactory } from '../../../src/client/transport/transport.js';
import { UndiciTransport } from '../../../src/client/transport/undici-transport.js';
import { makeCertificate } from '../../support/client/certificate.js';
import {
  head,
  startRawAnswerServer,
  type AfterAnswer,
  type RawAnswer,
  type RawAnswers,
  type RawAnswerServer,
} from '../../support/embedded-platform/raw-answer-server.js';
import { eventually } from '../../support/eventually.js';

const LOGIN = head('HTTP/1.1 204 No Content', 'X-SVC-AuthToken: abc');
const EMPTY = head('HTTP/1.1 204 No Content');
const LIST = `${head('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Content-Length: 2')}[]`;
const STATUS = `${head('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Content-Length: 2')}{}`;

const platformAnswers: RawAnswers = {
  'POST auth/login': { parts: LOGIN },
  'POST auth/delegate': { parts: LOGIN },
  'POST auth/logout': { parts: EMPTY },
  'PUT sessions': { parts: EMPTY },
  'GET sessions': { parts: STATUS },
  'GET projects': { parts: LIST },
};

describe.each(['got', 'undici'] as const)('idle connections, by %s,', (transport) => {
  const clients = new Set<PlatformClient>();
  afterAll(async () => {
    await Promise.all([...clients].map((client) => client.close()));
  });
  function clientOf(baseUrl: string): PlatformClient {
    const client = new PlatformClient({ baseUrl, transport });
    clients.add(client);
    return client;
  }
  async function loggedIn(baseUrl: string, count: number): Promise<PlatformSession[]> {
    const client = clientOf(baseUrl);
    const sessions = Array.from({ length: count }, () => client.openSession());
    await Promise.all(sessions.map((session) => session.login()));
    return sessions;
  }
  /** Sessions whose client keeps as many idle connections. */
  async function withIdle(server: RawAnswerServer, count: number): Promise<PlatformSession[]> {
    const sessions = await loggedIn(server.baseUrl, count);
    await Promise.all(sessions.map((session) => session.getProjects()));
    await eventually(() => server.openConnections === count);
    // undici uses a connection again only in a later turn of the event loop.
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    return sessions;
  }

  it('are not kept for logins', async () => {
    const server = await startRawAnswerServer(platformAnswers);
    const client = clientOf(server.baseUrl);
    await client.openSession().login();
    for (let login = 0; login < 5; login += 1) await client.openSession().login();
    await eventually(() => server.openConnections === 0);

    expect(server.connections).toBe(6);
    await server.close();
  });

  it('closed after each answer, without a word, fail no read, extension, delegation or logout', async () => {
    const server = await startRawAnswerServer(platformAnswers, { afterAnswer: 'close' });
    const [session] = await loggedIn(server.baseUrl, 1);

    for (let round = 0; round < 15; round += 1) {
      await session?.extendSession();
      await session?.getProjects();
      await session?.delegate('identity');
      await session?.logout();
      await session?.login();
    }

    expect(server.count('POST auth/login')).toBe(16);
    expect(server.count('POST auth/delegate')).toBe(15);
    expect(server.count('POST auth/logout')).toBe(15);
  });

  it.each<[number, Exclude<AfterAnswer, 'keep'>]>(
    [1, 2, 4, 8].flatMap((count) => [
      [count, 'reset-on-next-use'],
      [count, 'close'],
      [count, 'reset'],
    ]),
  )('%d, all ended by a %s, fail no read, extension or logout', async (count, how) => {
    const calls: ((session: PlatformSession) => Promise<unknown>)[] = [
      (session) => session.getProjects(),
      (session) => session.extendSession(),
      (session) => session.logout(),
    ];
    for (const call of calls) {
      const server = await startRawAnswerServer(platformAnswers);
      const sessions = await withIdle(server, count);
      server.treatIdle(how);

      await expect(Promise.all(sessions.map(call))).resolves.toHaveLength(count);

      const connections = new Set(server.requests.slice(2 * count).map(({ connection }) => connection));
      expect(Math.min(...connections)).toBeGreaterThan(2 * count);
    }
  });

  it('given up by a 408 that crosses the next request fail no read, extension or logout', async () => {
    const givenUp: RawAnswer = { parts: `${head('HTTP/1.0 408 Request Time-out')}<html>`, then: 'close' };
    const server = await startRawAnswerServer({
      ...platformAnswers,
      'GET projects': [{ parts: LIST }, givenUp, { parts: LIST }],
      'PUT sessions': [givenUp, { parts: EMPTY }],
      'POST auth/logout': [givenUp, { parts: EMPTY }],
    });
    const [session] = await withIdle(server, 1);

    await session?.getProjects();
    await session?.extendSession();
    await session?.logout();

    expect(server.count('GET projects')).toBe(3);
    expect(server.count('PUT sessions')).toBe(2);
    expect(server.count('POST auth/logout')).toBe(2);
  });

  it('are not the reason for a 408 to a login, which is not repeated, or for a second one', async () => {
    const server = await startRawAnswerServer({
      ...platformAnswers,
      'POST auth/login': [{ parts: LOGIN }, { parts: head('HTTP/1.0 408 Request Time-out'), then: 'close' }],
      'GET projects': { parts: head('HTTP/1.0 408 Request Time-out'), then: 'close' },
    });
    const [session] = await loggedIn(server.baseUrl, 1);

    await expect(session?.getProjects()).rejects.toMatchObject({ kind: 'protocol', status: 408 });
    await expect(session?.login()).rejects.toMatchObject({ kind: 'protocol', status: 408 });

    expect(server.count('GET projects')).toBe(2);
    expect(server.count('POST auth/login')).toBe(2);
  });

  it('are not used by a login, a delegation or another POST', async () => {
    const server = await startRawAnswerServer({ ...platformAnswers, 'POST reports': { parts: STATUS } });
    const [session] = await withIdle(server, 1);
    server.treatIdle('reset-on-next-use');

    await session?.request('POST', 'reports', { body: {} });
    await session?.delegate('identity');
    await session?.login();

    expect(server.resetsOnUse).toBe(0);
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBe(5);
  });

  it('that end after the first byte of an answer are a failure, which a write does not hide', async () => {
    const server = await startRawAnswerServer({
      ...platformAnswers,
      'PUT sessions': { parts: 'HTTP/1.1 2', then: 'reset' },
    });
    const [session] = await withIdle(server, 1);

    await expect(session?.extendSession()).rejects.toThrow(PlatformUnreachableError);

    expect(server.count('PUT sessions')).toBe(1);
  });

  it('are tried once more only: a new connection that ends the same way is a failure', async () => {
    const server = await startRawAnswerServer({
      ...platformAnswers,
      'PUT sessions': { parts: [], then: 'reset' },
    });
    const [session] = await withIdle(server, 1);

    await expect(session?.extendSession()).rejects.toThrow(PlatformUnreachableError);

    expect(server.count('PUT sessions')).toBe(2);
  });

  it('over TLS, closed after each answer, fail no extension or logout', async () => {
    const certificate = await makeCertificate();
    const { baseUrl, seen } = await startClosingTlsServer(certificate);
    const client = new PlatformClient({ baseUrl, transport, tlsVerify: certificate.path });
    clients.add(client);
    const session = client.openSession();

    for (let round = 0; round < 5; round += 1) {
      await session.login();
      await session.extendSession();
      await session.extendSession();
      await session.logout();
    }

    expect(seen.filter((line) => line.startsWith('POST'))).toHaveLength(10);
  });

  it('are closed when the server has announced to close them soon', async () => {
    const announced = (seconds: number): string =>
      `${head('HTTP/1.1 200 OK', `Keep-Alive: timeout=${seconds}`, 'Content-Type: application/json', 'Content-Length: 2')}{}`;
    const server = await startRawAnswerServer({
      ...platformAnswers,
      'GET sessions': [{ parts: announced(1) }, { parts: announced(60) }],
    });
    const [session] = await loggedIn(server.baseUrl, 1);
    await eventually(() => server.openConnections === 0);

    await session?.getSessions();
    await eventually(() => server.openConnections === 0);
    await session?.getSessions();
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    await session?.getProjects();

    expect(server.openConnections).toBe(1);
  });
});

describe.each<[string, TransportFactory]>([
  ['got', (options) => new GotTransport(options)],
  ['undici', (options) => new UndiciTransport(options)],
])('the idle time of connections, by %s,', (_name, make) => {
  it('ends them, but not one whose answer takes longer', async () => {
    const server = await startRawAnswerServer({
      'GET fast': { parts: STATUS },
      'GET slow': { parts: [STATUS.slice(0, 10), () => eventually(() => isReleased), STATUS.slice(10)] },
    });
    let isReleased = false;
    const transport = make({ trust: { rejectUnauthorized: true }, maxIdleMs: 30 });
    const get = async (path: string): Promise<string> => {
      const { body } = await transport.send({
        method: 'GET',
        url: new URL(path, server.baseUrl),
        headers: {},
        signal: new AbortController().signal,
      });
      return (await body.toArray()).join('');
    };

    const slow = get('slow');
    await eventually(() => server.count('GET slow') === 1);
    await get('fast');
    // The connection of the fast answer was idle for its time; that of the slow one has been open for longer.
    await eventually(() => server.openConnections === 1);
    isReleased = true;

    await expect(slow).resolves.toBe('{}');
    await eventually(() => server.openConnections === 0);
    await transport.close();
  });
});

const tlsServers = new Set<Server>();
afterAll(() => {
  for (const server of tlsServers) server.close().closeAllConnections();
});

/** Closes each connection after its answer, though the answer says that it is kept. */
async function startClosingTlsServer(certificate: {
  key: string;
  cert: string;
}): Promise<{ baseUrl: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer(certificate, (request, response) => {
    request.resume();
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.writeHead(204, { 'X-SVC-AuthToken': 'abc', connection: 'keep-alive' });
    response.end(() => request.socket.end());
  });
  tlsServers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/api`, seen };
}
