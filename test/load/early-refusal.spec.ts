import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fastify, type FastifyInstance } from 'fastify';
import { Admission } from '../../src/load/admission.js';
import { EarlyRefusals, type Serve } from '../../src/load/limit-load.js';
import { KnownSessions } from '../../src/session/handle.js';
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

/** Looks at requests before Fastify does. */
function refuseEarly({ server }: FastifyInstance, admission: Admission): EarlyRefusals {
  const refusals = new EarlyRefusals(admission, () => '127.0.0.1');
  const [serve] = server.listeners('request') as [Serve];
  server.removeAllListeners('request').on('request', (request, response) => {
    refusals.serve(request, response, serve);
  });
  return refusals;
}

describe('a server where no more may even wait', () => {
  let server: FastifyInstance;
  let url: string;
  let served: unknown[];
  let refusals: EarlyRefusals;
  beforeEach(async () => {
    served = [];
    isStopping = false;
    server = fastify();
    server.post('/graphql', ({ body }) => {
      served.push(body);
      return 'served';
    });
    server.get('/graphql', () => 'served');
    server.get('/livez', () => 'served');
    refusals = refuseEarly(server, new Admission({ ...options, inFlight: 0 }));
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
    socket.on('error', ({ message }) => (text += message));
    socket.on('close', () => (text += 'closed'));
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

  it('reads a longer body to its end, and then closes the connection', async () => {
    const body = ' '.repeat(1024 * 1024);
    const answer = await answers([head(body.length), body], /OVERLOADED[^]*closed/);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).not.toContain('ECONNRESET');
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

  it('counts what it has refused', async () => {
    await Promise.all(Array.from({ length: 20 }, () => post(ONE)));
    expect([refusals.takeCount(), refusals.takeCount()]).toEqual([20, 0]);
  });
});
