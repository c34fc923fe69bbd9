import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { addAnswerHeaders, allowOrigins, requestId } from '../../src/http/answer-headers.js';
import { readCallers } from '../../src/http/caller.js';

describe('every answer', () => {
  function server(isStopping = (): boolean => false): FastifyInstance {
    const own = Fastify({ genReqId: requestId });
    addAnswerHeaders(own, isStopping);
    own.get('/', () => 'here');
    return own;
  }

  it.each(['/', '/nowhere'])('to %s may be stored and framed by no one, and runs nothing', async (url) => {
    const { headers } = await server().inject({ url });
    expect(headers).toMatchObject({
      'cache-control': 'private, no-store',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': expect.stringContaining('max-age='),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });

  it('closes its connection only while the service stops', async () => {
    let isStopping = false;
    const own = server(() => isStopping);
    expect((await own.inject({ url: '/' })).headers.connection).not.toBe('close');
    isStopping = true;
    expect((await own.inject({ url: '/' })).headers.connection).toBe('close');
  });

  it.each(['12345678', 'a.b_c:d-E', 'x'.repeat(128)])('has the id of the request: %s', async (id) => {
    const { headers } = await server().inject({ url: '/', headers: { 'x-request-id': id } });
    expect(headers['x-request-id']).toBe(id);
  });

  it.each(['', '1234567', 'x'.repeat(129), 'with a space', '"quoted"', '12345678;', ' 12345678\n'])(
    'has a new id where that of the request is %j',
    async (id) => {
      const own = server();
      const ids = await Promise.all(
        [1, 2].map(
          async () =>
            (await own.inject({ url: '/', headers: { 'x-request-id': id } })).headers['x-request-id'],
        ),
      );
      expect(new Set([...ids, id]).size).toBe(3);
      for (const each of ids) expect(each).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('has a new id where the request has none', async () => {
    expect((await server().inject({ url: '/' })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a page of another origin', () => {
  const PAGE = 'https://page.example';

  async function server(): Promise<FastifyInstance> {
    const own = Fastify();
    readCallers(own, {
      sessionHeader: 'authorization',
      isRouter: undefined,
      allowsHost: () => true,
      trustsProxies: false,
    });
    await allowOrigins(own, { origins: [PAGE], requestHeaders: ['x-own'] });
    own.post('/', () => 'here');
    return own;
  }

  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-own' };

  it('may read answers, with the cookie, if it is listed', async () => {
    const { headers } = await (
      await server()
    ).inject({ method: 'POST', url: '/', headers: { origin: PAGE } });
    expect(headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'x-request-id, retry-after, date',
    });
  });

  it('may send what is listed, and does not ask again for ten minutes', async () => {
    const asked = { method: 'OPTIONS', url: '/', headers: { origin: PAGE, ...preflight } } as const;
    const { statusCode, headers } = await (await server()).inject(asked);
    expect(statusCode).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type, x-own',
      'access-control-max-age': '600',
    });
  });

  it.each([{ origin: 'https://other.example' }, { origin: 'null' }, {}])(
    'may read nothing with the headers %j',
    async (given) => {
      const own = await server();
      for (const method of ['POST', 'OPTIONS'] as const) {
        const { headers } = await own.inject({ method, url: '/', headers: { ...given, ...preflight } });
        expect(headers).not.toHaveProperty('access-control-allow-origin');
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
      }
    },
  );
});
