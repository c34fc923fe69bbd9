import { Writable } from 'node:stream';
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { rawExchange } from '../../packages/portico/test/support/raw-exchange.js';
import { type CallerRules, readCallers } from '../../src/http/caller.js';
import { newHandle } from '../../src/session/handle.js';

const HOST = 'graph.example';

interface Read {
  readonly server: FastifyInstance;
  readonly log: string[];
  /** The status of the answer to a request for `/`, as far as nothing else is said. */
  readonly status: (request?: InjectOptions) => Promise<number>;
}

/** A server that reads its callers, and answers with what it has read. */
function server(rules: Partial<CallerRules> = {}): Read {
  const log: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      log.push((JSON.parse(line.toString()) as { msg: string }).msg);
      done();
    },
  });
  const read = Fastify({ logger: { level: 'warn', stream }, trustProxy: rules.trustsProxies === true });
  read.decorateRequest('facts');
  read.addHook('onRequest', (request, _reply, done) => {
    if (request.headers.logged !== undefined)
      request.facts = { requestId: '', clientAddress: request.ip } as never;
    done();
  });
  readCallers(read, {
    sessionHeader: 'authorization',
    isRouter: ({ router }) => router !== undefined,
    allowsHost: (name) => name === HOST,
    trustsProxies: false,
    ...rules,
  });
  for (const path of ['/', '/livez', '/readyz']) {
    read.get(path, ({ caller, facts }) => ({ ...caller, logged: facts?.clientAddress }));
  }
  const status = async (request: InjectOptions = {}): Promise<number> =>
    (await read.inject({ url: '/', ...request, headers: { host: HOST, ...request.headers } })).statusCode;
  return { server: read, log, status };
}

describe('the host of a request', () => {
  it('has to be one by which the service is called', async () => {
    const { server: read, log, status } = server();

    expect(await status()).toBe(200);
    const refused = await read.inject({ url: '/', headers: { host: 'evil.example' } });
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({
      errors: [
        {
          message: 'The request is for a Host that is not allowed',
          extensions: { code: 'BAD_REQUEST', retryable: false },
        },
      ],
    });
    expect(await status({ headers: { host: 'evil.example' } })).toBe(400);
    expect(await status()).toBe(200);

    expect(log).toEqual([expect.stringContaining('ALLOWED_HOSTS')]);
  });

  it('is of no matter to probes, which name a machine by its address', async () => {
    const { log, status } = server();
    const headers = { host: '192.0.2.7' };

    expect(await status({ url: '/livez', headers })).toBe(200);
    expect(await status({ url: '/readyz', headers })).toBe(200);
    expect(await status({ headers })).toBe(400);

    expect(log).toHaveLength(1);
  });

  it('may be missing from a request of HTTP/1.0, and from no other', async () => {
    const { server: read } = server();
    const url = await read.listen({ host: '127.0.0.1', port: 0 });
    const statusOf = async (head: string): Promise<string | undefined> =>
      (await rawExchange(url, `${head}\r\nConnection: close\r\n\r\n`)).split(' ')[1];

    expect(await statusOf('GET / HTTP/1.0')).toBe('200');
    expect(await statusOf('GET / HTTP/1.0\r\nHost: evil.example')).toBe('400');
    expect(await statusOf('GET / HTTP/1.1')).toBe('400');
    await read.close();
  });

  it('has to be that of the target, if the target names one', async () => {
    const { server: read } = server();
    const url = await read.listen({ host: '127.0.0.1', port: 0 });
    const statusOf = async (target: string): Promise<string | undefined> =>
      (await rawExchange(url, `GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`)).split(
        ' ',
      )[1];

    expect(await statusOf(`http://${HOST}/livez`)).toBe('200');
    expect(await statusOf('http://evil.example/livez')).toBe('400');
    await read.close();
  });
});

describe('a header that a proxy sets', () => {
  it.each(['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'])(
    'such as %s, is missed by the log, once, while no proxy is trusted',
    async (name) => {
      const { log, status } = server();
      expect(await status()).toBe(200);
      expect(log).toEqual([]);
      for (let n = 0; n < 2; n += 1) await status({ headers: { [name]: 'https' } });
      expect(log).toEqual([expect.stringContaining('TRUSTED_PROXIES is not set')]);
    },
  );

  it('is expected where a proxy is trusted', async () => {
    const { log, status } = server({ trustsProxies: true });
    await status({ headers: { 'x-forwarded-proto': 'https' } });
    expect(log).toEqual([]);
  });
});

describe('what several proxies say', () => {
  it.each([
    ['x-forwarded-host', `evil.example, ${HOST}`],
    ['x-forwarded-host', `${HOST},evil.example`],
    ['x-forwarded-proto', 'http, https'],
    ['x-forwarded-proto', 'https,http'],
  ])('has to be the same, of which a server would take one: %s: %s', async (name, value) => {
    expect(await server({ trustsProxies: true }).status({ headers: { [name]: value } })).toBe(400);
  });

  it.each([
    ['x-forwarded-host', `${HOST}, ${HOST}`],
    ['x-forwarded-proto', 'https,https'],
  ])('may be said more than once: %s: %s', async (name, value) => {
    expect(await server({ trustsProxies: true }).status({ headers: { [name]: value } })).toBe(200);
  });

  it.each([
    ['https', 'http', '400'],
    ['https', 'https', '200'],
  ])('may come in two headers, here %s and %s, with the answer %s', async (one, other, status) => {
    const { server: read } = server({ trustsProxies: true });
    const url = await read.listen({ host: '127.0.0.1', port: 0 });
    const head = `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n`;
    const twice = `X-Forwarded-Proto: ${one}\r\nX-Forwarded-Proto: ${other}\r\n\r\n`;
    expect((await rawExchange(url, head + twice)).split(' ')[1]).toBe(status);
    await read.close();
  });
});

describe('the router of a graph', () => {
  const authorization = `Bearer ${newHandle()}`;
  const router = 'yes';

  it('is known by its secret, if there is one', async () => {
    const isRouter = async ({ server: read }: Read, headers: Record<string, string>): Promise<unknown> =>
      (await read.inject({ url: '/', headers: { host: HOST, ...headers } })).json().isRouter;

    expect(await isRouter(server(), { router })).toBe(true);
    expect(await isRouter(server(), {})).toBe(false);
    expect(await isRouter(server({ isRouter: undefined }), { router })).toBe(false);
  });

  it('is reported, once, if it does not say for whom it asks', async () => {
    const { log, status } = server({ trustsProxies: true });
    for (let n = 0; n < 2; n += 1) await status({ headers: { router, authorization } });
    expect(log).toEqual([expect.stringContaining('without X-Forwarded-For')]);
  });

  it.each<[string, Record<string, string>]>([
    ['it says for whom', { router, authorization, 'x-forwarded-for': '192.0.2.7' }],
    ['it asks without a handle, as a composer does', { router }],
    ['it is no router', { authorization }],
  ])('is not reported if %s', async (_why, headers) => {
    const { log, status } = server({ trustsProxies: true });
    await status({ headers });
    expect(log).toEqual([]);
  });
});

describe('the log', () => {
  it('has the address of a caller in the one spelling', async () => {
    const { server: read } = server();
    const headers = { host: HOST, logged: 'yes' };
    const answer = await read.inject({ url: '/', headers, remoteAddress: '::ffff:192.0.2.7' });
    expect(answer.json()).toMatchObject({ address: '192.0.2.7', logged: '192.0.2.7' });
  });
});
