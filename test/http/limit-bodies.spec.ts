import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { type BodyLimits, limitBodies, serverLimit } from '../../src/http/limit-bodies.js';

const LIMITS: BodyLimits = { usual: 10, large: 20, mayBeLarge: ({ router }) => router !== undefined };

/** Sends a body, with its length or in chunks, by anyone or by a router; gives the status. */
function sender(
  limits = LIMITS,
): (bytes: number, how?: { chunked?: boolean; router?: boolean }) => Promise<number> {
  const server: FastifyInstance = Fastify({ bodyLimit: serverLimit(limits) });
  limitBodies(server, limits);
  server.post('/', ({ body }) => `${(body as string).length}`);
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
