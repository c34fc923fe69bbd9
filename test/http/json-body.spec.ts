import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptJsonOnly, readJsonBodies } from '../../src/http/json-body.js';

let server: FastifyInstance;
let admitted: string[];
beforeAll(() => {
  server = Fastify();
  acceptJsonOnly(server);
  readJsonBodies(server, ({ headers }, bytes) => {
    admitted.push(bytes.toString());
    return headers.refused === undefined ? Promise.resolve() : Promise.reject(new Error('no room'));
  });
  server.post('/', ({ body }, reply) => reply.send({ body }));
  server.post('/unsent', () => 'read');
});
afterAll(() => server.close());

async function post(
  payload: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<{ status: number; read: unknown; message: string }> {
  admitted = [];
  const answer = await server.inject({ method: 'POST', url: '/', payload, headers });
  const { body, message } = answer.json<{ body: unknown; message: string }>();
  return { status: answer.statusCode, read: body, message };
}

describe('the type of a body', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF8',
    'application/json; charset="utf-8"',
    'application/json; profile=x',
  ])('may be %s', async (type) => {
    expect(await post('{"a":1}', { 'content-type': type })).toMatchObject({ status: 200, read: { a: 1 } });
  });

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8x',
    'application/json; charset=xutf-8',
    'application',
  ])('may not be %s', async (type) => {
    const message = 'The body is not plain JSON in UTF-8';
    expect(await post('{}', { 'content-type': type })).toMatchObject({ status: 415, message });
    expect(admitted).toEqual([]);
  });

  it('may not be compressed', async () => {
    const type = { 'content-type': 'application/json' };
    expect((await post('{}', { ...type, 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await post('{}', { ...type, 'content-encoding': 'identity' })).status).toBe(200);
  });

  it('is not asked for where there is no body', async () => {
    expect((await server.inject({ method: 'POST', url: '/' })).statusCode).toBe(200);
  });
});

describe('a body of JSON', () => {
  it.each([
    '{"a":{"a":1},"b":{"a":2}}',
    '[{"a":1},{"a":1}]',
    String.raw`{"a":"b\":c","d":"e\\","f":[]}`,
    String.raw`{"a\\\"b":1,"c":"\\\\"}`,
    '{"a": "b: c", "d" : ":", "e"\n\t:\r1}',
    '[":", "a:b", ""]',
    '"a"',
    '{}',
    'null',
    '1',
  ])('is read: %s', async (text) => {
    expect(await post(text)).toMatchObject({ status: 200, read: JSON.parse(text) });
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"a":2}',
    '{"a":{"b":1,"b":2}}',
    '[[{"a":1,"a":2}]]',
    String.raw`{"a":1,"\u0061":2}`,
    '{"a" : 1, "a"\n:2}',
    String.raw`{"a\"":1,"a\"":2}`,
    String.raw`{"b":"\\","a":1,"a":2}`,
  ])('is refused with a name that occurs twice in an object: %s', async (text) => {
    expect(await post(text)).toMatchObject({ status: 400, message: 'An object has a duplicate name' });
  });

  it('is refused with a byte order mark, which some parsers skip', async () => {
    const message = 'The body begins with a byte order mark';
    expect(await post('\uFEFF{}')).toMatchObject({ status: 400, message });
    expect(await post('{"a":"\uFEFF"}')).toMatchObject({ status: 200 });
  });

  it('is refused with bytes that are not UTF-8, which some parsers replace', async () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    expect(await post(body)).toMatchObject({ status: 400, message: 'The body is not UTF-8' });
  });

  it.each(['{', '{"a":1}}', "{'a':1}", ''])('is refused if it is none: %j', async (text) => {
    expect((await post(text)).status).toBe(400);
  });

  it.each(['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}'])(
    'is refused if it could change what objects inherit: %s',
    async (text) => {
      expect((await post(text)).status).toBe(400);
    },
  );

  it('is read however deep it is', async () => {
    const payload = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const headers = { 'content-type': 'application/json' };
    const answer = await server.inject({ method: 'POST', url: '/unsent', payload, headers });
    expect(answer.statusCode).toBe(200);
  });

  it('is admitted before it is parsed', async () => {
    const headers = { 'content-type': 'application/json', refused: 'yes' };
    expect(await post('{', headers)).toMatchObject({ status: 500, message: 'no room' });
    expect(admitted).toEqual(['{']);
  });
});
