import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { type BodyLimits, limitBodies, serverLimit } from '../../src/http/limit-bodies.js';

const LIMITS: BodyLimits = { usual: 10, large: 20, mayBeLarge: ({ router }) => router !== undefined };

function limitedServer(limits = LIMITS): FastifyInstance {
  const server = Fastify({ bodyLimit: serverLimit(limits) });
  limitBodies(server, limits);
  server.post('/', ({ body }) => `${(body as string).length}`);
  return server;
}

/** Sends a body, with its length or in chunks, by anyone or by a router; gives the status. */
function sender(
  limits = LIMITS,
): (bytes: number, how?: { chunked?: boolean; router?: boolean }) => Promise<number> {
  const server = limitedServer(limits);
  return async (bytes, { chunked = false, router = false } = {}) => {
    const text = 'x'.repeat(bytes);
    const payload = chunked
      ? Readable.from([Buffer.from(text.slice(0, 6)), Buffer.from(text.slice(6))])
      : text;
    const headers = {
      'content-type': 'text/plain',
      ...(router && { router: 'yes' }),
      ...(chunked && { 'transfer-encoding': 'chunked' }),
    };
    const answer = await server.inject({ method: 'POST', url: '/', payload, headers });
    if (answer.statusCode === 200) expect(answer.body).toBe(`${bytes}`);
    return answer.statusCode;
  };
}

describe('a body', () => {
  it.each([{ chunked: false }, { chunked: true }])('has a limit: %j', async (how) => {
    const send = sender();
    expect(await send(10, how)).toBe(200);
    expect(await send(11, how)).toBe(413);
  });

  it('is refused by its length before any of it has come', async () => {
    const server = limitedServer();
    const body = new Readable({ read: () => undefined });
    const headers = { 'content-type': 'text/plain', 'content-length': '11' };
    const answer = await server.inject({ method: 'POST', url: '/', payload: body, headers });
    expect(answer.statusCode).toBe(413);
  });

  it('in chunks that ends too early fails, and nothing waits for the rest', async () => {
    const server = limitedServer();
    const failed = new Promise<Error>((resolve) => {
      server.setErrorHandler<Error>((error) => {
        resolve(error);
      });
    });
    const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    const caller = connect(Number(port), '127.0.0.1');
    const head =
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
    const begun = once(server.server, 'request');
    caller.write(`${head}5\r\nhello\r\n`);
    await begun;
    caller.destroy();
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    await server.close();
  });

  it.each([{ chunked: false }, { chunked: true }])('of a router has a larger one: %j', async (how) => {
    const send = sender();
    expect(await send(20, { ...how, router: true })).toBe(200);
    expect(await send(21, { ...how, router: true })).toBe(413);
  });

  it('is not looked at twice where there is one limit for all', async () => {
    let asked = 0;
    const mayBeLarge = (): boolean => (asked += 1) > 0;
    const send = sender({ usual: 20, large: 10, mayBeLarge });
    expect(await send(20)).toBe(200);
    expect(await send(21)).toBe(413);
    expect(asked).toBe(0);
  });

  it('of the usual size does not need to show whose it is', async () => {
    let asked = 0;
    const mayBeLarge = (): boolean => (asked += 1) > 0;
    const send = sender({ ...LIMITS, mayBeLarge });
    expect(await send(10)).toBe(200);
    expect(asked).toBe(0);
  });
});
