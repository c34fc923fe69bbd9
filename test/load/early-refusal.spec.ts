import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { Admission } from '../../src/load/admission.js';
import { refuseEarly } from '../../src/load/early-refusal.js';
import { KnownSessions } from '../../src/session/known-sessions.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';

let isStopping: boolean;
const options = {
  inFlight: 8,
  perSession: 8,
  isStopping: () => isStopping,
  logoutHashes: [],
  sessions: new KnownSessions(),
};
const ONE = '{"query":"{ me { id } }"}';
const LOGOUT = '{"query":"mutation { logout { loggedOut } }"}';

describe('a server where nobody else may even wait', () => {
  let server: FastifyInstance;
  let url: string;
  let served: unknown[];
  let log: string;
  let admission: Admission;
  beforeEach(async () => {
    served = [];
    isStopping = false;
    log = '';
    const stream = new Writable({
      write(line: Buffer, _encoding, done) {
        log += line.toString();
        done();
      },
    });
    server = fastify({ logger: { level: 'warn', stream } });
    server.post('/graphql', ({ body }) => {
      served.push(body);
      return 'served';
    });
    server.get('/graphql', () => 'served');
    server.get('/livez', () => 'served');
    admission = new Admission({ ...options, inFlight: 0 });
    refuseEarly(server, admission);
    url = await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => server.close());

  const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });

  /** What comes back on one connection for bytes that are sent one after the other, until the text was seen. */
  async function answers(parts: readonly string[], until: RegExp): Promise<string> {
    const { port } = server.server.address() as AddressInfo;
    const socket: Socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    for (const part of parts) {
      socket.write(part);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await eventually(() => until.test(text));
    socket.destroy();
    return text;
  }

  const head = (length: number): string =>
    `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

  it('refuses a request as OVERLOADED, with the headers of every answer', async () => {
    for (const response of [await post(ONE), await fetch(`${url}/graphql?query={hasSession}`)]) {
      expect(response.status).toBe(503);
      const { headers } = response;
      const { errors } = (await response.json()) as { errors: unknown };
      expect(errors).toEqual([
        {
          message: 'Too many requests are in flight: try again',
          extensions: {
            code: 'OVERLOADED',
            reason: 'SERVICE_BUSY',
            retryable: true,
            retryAfter: 1,
            requestId: headers.get('x-request-id'),
          },
        },
      ]);
      expect(headers.get('retry-after')).toBe('1');
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(served).toEqual([]);
  });

  it('keeps the request id of the caller', async () => {
    const { headers } = await post(ONE, { 'x-request-id': 'caller-0001' });
    expect(headers.get('x-request-id')).toBe('caller-0001');
  });

  it.each([
    ['short', ONE],
    ['long', ONE.padEnd(60_000)],
  ])('keeps the connection of a %s body', async (_what, body) => {
    const request = `${head(body.length)}${body}`;
    const both = await answers([request, request], /HTTP\/1.1 503[^]*HTTP\/1.1 503/);
    expect(both).not.toMatch(/connection: close/i);
  });

  it('closes the connection while the service is stopping, so that the caller goes elsewhere', async () => {
    isStopping = true;
    expect(await answers([`${head(ONE.length)}${ONE}`], /OVERLOADED/)).toMatch(/connection: close/i);
  });

  it('closes the connection of a body that is too long to be thrown away, and does not read it', async () => {
    expect(await answers([head(70_000)], /OVERLOADED/)).toMatch(/connection: close/i);
  });

  it('serves probes, what may be a logout, and pages of other sites', async () => {
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await post(LOGOUT)).status).toBe(200);
    expect((await post(ONE, { origin: 'https://page.example' })).status).toBe(200);
    expect(served).toEqual([JSON.parse(LOGOUT), JSON.parse(ONE)]);
  });

  it('refuses what was held for too long, although there is a place', async () => {
    const roomy = new Admission(options);
    let isLate = false;
    roomy.isLate = () => isLate;
    const other = fastify();
    other.get('/graphql', () => 'served');
    other.get('/livez', () => 'served');
    refuseEarly(other, roomy);
    const address = await other.listen({ host: '127.0.0.1', port: 0 });
    expect((await fetch(`${address}/graphql`)).status).toBe(200);
    isLate = true;
    expect((await fetch(`${address}/graphql`)).status).toBe(503);
    expect((await fetch(`${address}/livez`)).status).toBe(200);
    await other.close();
  });

  it('leaves a body that comes in pieces to the limits of slow senders', async () => {
    const pieces = [head(LOGOUT.length) + LOGOUT.slice(0, 10), LOGOUT.slice(10)];
    expect(await answers(pieces, /served/)).toContain('HTTP/1.1 200');
    expect(served).toEqual([JSON.parse(LOGOUT)]);
  });

  it('logs how many were refused in one line', async () => {
    await Promise.all(Array.from({ length: 20 }, () => post(ONE)));
    await server.close();
    expect(log.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(log)).toMatchObject({
      refused: 20,
      msg: 'Requests were refused: the service is overloaded',
    });
  });
});
