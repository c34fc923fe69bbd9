import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawExchange } from '../../../packages/portico/test/support/raw-exchange.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const query = JSON.stringify({ query: '{ hasSession }' });
/** A part of a request that must not come back. */
const CANARY = 'CANARY-PW-0123456789';

describe('the HTTP side of the endpoint', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  beforeAll(async () => {
    platform = await startScriptedPlatform({});
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
  });
  afterAll(() => app.close());

  const send = (init: RequestInit, path = '/graphql'): Promise<Response> =>
    fetch(`${app.url}${path}`, { method: 'POST', ...init });

  async function expectRefusal(response: Response, status: number, code = 'BAD_REQUEST'): Promise<void> {
    const text = await response.text();
    expect({ status: response.status, text }).toEqual({ status, text: expect.any(String) });
    expect(response.headers.get('content-type')).toMatch(
      /^application\/(graphql-response\+)?json; charset=utf-8$/,
    );
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const { errors } = JSON.parse(text);
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.any(String),
        extensions: expect.objectContaining({
          code,
          retryable: false,
          requestId: response.headers.get('x-request-id'),
        }),
      }),
    ]);
    expect(text).not.toMatch(/CANARY|\bat \/|\.js:|node_modules|stack/i);
  }

  describe('refuses as GraphQL JSON, without a stack and without repeating the request,', () => {
    it.each<[string, number, RequestInit]>([
      ['malformed JSON', 400, { headers: JSON_TYPE, body: `{"query": ${CANARY}` }],
      ['JSON that ends early', 400, { headers: JSON_TYPE, body: query.slice(0, -3) }],
      ['an empty body', 400, { headers: JSON_TYPE, body: '' }],
      ['a body of another kind', 400, { headers: JSON_TYPE, body: '"text"' }],
      ['null', 400, { headers: JSON_TYPE, body: 'null' }],
      ['no document', 400, { headers: JSON_TYPE, body: '{}' }],
      ['a document that is not a string', 400, { headers: JSON_TYPE, body: '{"query": {"a": 1}}' }],
      [
        'variables that are no object',
        400,
        { headers: JSON_TYPE, body: `{"query": "{ a }", "variables": "${CANARY}"}` },
      ],
      ['a batch', 400, { headers: JSON_TYPE, body: `[${query},${query}]` }],
      ['an empty batch', 400, { headers: JSON_TYPE, body: '[]' }],
      ['arrays 30,000 deep', 400, { headers: JSON_TYPE, body: '['.repeat(30_000) + ']'.repeat(30_000) }],
      ['arrays 40,000 deep that never end', 400, { headers: JSON_TYPE, body: '['.repeat(40_000) }],
      [
        'a key that would change the prototype',
        400,
        { headers: JSON_TYPE, body: `{"query":"{ hasSession }","variables":{"__proto__":{"polluted":1}}}` },
      ],
      ['a byte order mark', 400, { headers: JSON_TYPE, body: `\ufeff${query}` }],
      [
        'bytes that are not UTF-8',
        400,
        { headers: JSON_TYPE, body: Buffer.from(`{"query":"{ hasSession } # \xff"}`, 'latin1') },
      ],
      [
        'a name that stands twice',
        400,
        { headers: JSON_TYPE, body: `{"query":"{ hasSession }","query":"{ me { id } }"}` },
      ],
      [
        'a name that stands twice deep within, in another spelling',
        400,
        { headers: JSON_TYPE, body: `{"query":"{ hasSession }","variables":{"a":[{"x":1,"\\u0078":2}]}}` },
      ],
      ['text', 415, { headers: { 'content-type': 'text/plain' }, body: query }],
      [
        'GraphQL as text',
        415,
        { headers: { 'content-type': 'application/graphql' }, body: '{ hasSession }' },
      ],
      ['a form', 415, { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'query=x' }],
      [
        'a form of parts',
        415,
        { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' },
      ],
      ['an invalid media type', 415, { headers: { 'content-type': 'CANARY' }, body: query }],
      [
        'JSON in UTF-32',
        415,
        { headers: { 'content-type': 'application/json; charset=utf-32' }, body: query },
      ],
      [
        'JSON in Latin-1',
        415,
        { headers: { 'content-type': 'application/json; charset=iso-8859-1' }, body: query },
      ],
      [
        'a compressed body',
        415,
        { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: gzipSync(query) },
      ],
      [
        'a bomb',
        415,
        { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(2_000_000)) },
      ],
      ['101 KB', 413, { headers: JSON_TYPE, body: JSON.stringify({ query: ' '.repeat(101_000) }) }],
    ])('%s with %s', async (_case, status, init) => {
      await expectRefusal(await send(init), status);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });

    it('a GET of anything but a query', async () => {
      const mutation = encodeURIComponent('mutation { logout { loggedOut } }');
      const response = await send({ method: 'GET' }, `/graphql?query=${mutation}`);
      expect(response.headers.get('allow')).toBe('POST');
      expect(await response.clone().text()).toContain('GET is for queries only: use POST');
      await expectRefusal(response, 405);
    });

    it('a GET with the content type of something else', async () => {
      const headers = { 'content-type': 'message/example' };
      await expectRefusal(await send({ method: 'GET', headers }, '/graphql?query={hasSession}'), 415);
    });

    it('other methods than GET and POST', async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const response = await send({ method, headers: JSON_TYPE, body: query });
        expect(response.headers.get('allow')).toBe('GET, POST');
        await expectRefusal(response, 405);
      }
    });

    it.each(['/CANARY', '/CANARY?query=CANARY', '//graphql', '/graphql/', '/GraphQL', '/metrics', '/.env'])(
      'the unknown address %s',
      async (path) => {
        await expectRefusal(await fetch(`${app.url}${path}`), 404);
      },
    );

    it('an address that cannot be decoded', async () => {
      await expectRefusal(await fetch(`${app.url}/%zz`), 400);
    });

    it.each([
      ['HTTP/1.1 with an empty host', `GET /graphql?query={hasSession} HTTP/1.1\r\nhost:\r\n\r\n`],
      ['a host with a space', `GET /graphql?query={hasSession} HTTP/1.1\r\nhost: CANARY b\r\n\r\n`],
      ['half of an IPv6 address', `GET /graphql?query={hasSession} HTTP/1.1\r\nhost: [::1\r\n\r\n`],
      ['a host that cannot be decoded', `GET /graphql?query={hasSession} HTTP/1.1\r\nhost: %%%\r\n\r\n`],
      ['a host with a path', `GET /graphql?query={hasSession} HTTP/1.1\r\nhost: CANARY/b\r\n\r\n`],
      ['a host with a user', `GET /graphql?query={hasSession} HTTP/1.1\r\nhost: u@CANARY\r\n\r\n`],
      ['such a host elsewhere', `GET /CANARY HTTP/1.1\r\nhost: %%%\r\n\r\n`],
    ])('%s', async (_case, bytes) => {
      const answer = await rawExchange(app.url, bytes.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toContain('"message":"The request has no valid Host"');
      expect(answer).toMatch(/"code":"BAD_REQUEST","retryable":false,"requestId":"[0-9a-f-]{36}"/);
      expect(answer).not.toContain('CANARY');
    });

    it.each([
      ['a second Host', 'host: x\r\nhost: CANARY'],
      ['a second Origin', 'host: x\r\norigin: http://a.example\r\norigin: http://CANARY'],
      ['a session cookie with a tab after its name', 'host: localhost\r\ncookie: __Host-portico\t=CANARY'],
      ['two session cookies', 'host: localhost\r\ncookie: __Host-portico=a; __Host-portico=CANARY'],
      ['a second Authorization', 'host: x\r\nauthorization: Bearer a\r\nauthorization: Bearer CANARY'],
    ])('%s', async (_case, headers) => {
      const bytes = `GET /graphql?query={hasSession} HTTP/1.1\r\n${headers}\r\nconnection: close\r\n\r\n`;
      const answer = await rawExchange(app.url, bytes);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toMatch(/"code":"BAD_REQUEST","retryable":false,"requestId":"[0-9a-f-]{36}"/);
      expect(answer).not.toContain('CANARY');
    });

    it.each([
      ['what is not HTTP', `CANARY\r\n\r\n`, 400],
      ['a header line without a colon', `POST /graphql HTTP/1.1\r\nhost: x\r\nCANARY\r\n\r\n`, 400],
      [
        'two lengths',
        `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n`,
        400,
      ],
      ['17 KB of headers', `GET / HTTP/1.1\r\nhost: x\r\nx-a: ${'CANARY'.repeat(3_000)}\r\n\r\n`, 431],
    ])('%s', async (_case, bytes, status) => {
      const answer = await rawExchange(app.url, bytes);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toMatch(/^content-type: application\/json; charset=utf-8$/m);
      expect(answer).toMatch(/"code":"BAD_REQUEST","retryable":false,"requestId":"[0-9a-f-]{36}"/);
      expect(answer).toMatch(/^cache-control: private, no-store$/m);
      expect(answer).not.toContain('CANARY');
    });
  });

  it('accepts HTTP/1.0, which needs no host', async () => {
    const answer = await rawExchange(app.url, 'GET /graphql?query={hasSession} HTTP/1.0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toContain('{"data":{"hasSession":false}}');
  });

  it('accepts names that occur once in each of several objects, and colons in strings', async () => {
    const variables = { a: [{ x: '":', y: '\\":' }, { x: 1 }, {}, { x: { x: null } }] };
    const response = await send({
      headers: JSON_TYPE,
      body: JSON.stringify({ query: '{ hasSession }', variables }),
    });
    expect(await response.json()).toEqual({ data: { hasSession: false } });
  });

  it('serves the same guards under an encoded address', async () => {
    const response = await send({ headers: { 'content-type': 'text/plain' }, body: query }, '/%67raphql');
    await expectRefusal(response, 415);
  });

  it('accepts a JSON content type in capital letters and with a charset', async () => {
    const headers = { 'content-type': 'Application/JSON; charset="UTF-8"' };
    const response = await send({ headers, body: query });
    expect(await response.json()).toEqual({ data: { hasSession: false } });
  });

  it('answers in the media type that the caller prefers', async () => {
    const typeFor = async (accept: string): Promise<string | null> =>
      (await send({ headers: { ...JSON_TYPE, accept }, body: query })).headers.get('content-type');
    expect(await typeFor('application/json')).toBe('application/json; charset=utf-8');
    expect(await typeFor('application/graphql-response+json, application/json;q=0.9')).toBe(
      'application/graphql-response+json; charset=utf-8',
    );
    await expectRefusal(await send({ headers: { ...JSON_TYPE, accept: 'text/html' }, body: query }), 406);
  });

  it('answers 400 to a document that does not match the schema, unless the caller accepts only plain JSON', async () => {
    const status = async (body: string, accept?: string): Promise<number> =>
      (await send({ headers: { ...JSON_TYPE, ...(accept && { accept }) }, body })).status;
    const unfit = JSON.stringify({ query: '{ nothing }' });
    expect(await status(unfit)).toBe(400);
    expect(await status(unfit, 'application/graphql-response+json')).toBe(400);
    expect(await status(unfit, 'application/json')).toBe(200);
    const tooMuch = JSON.stringify({ query: `{ ${'hasSession '.repeat(21)} }` });
    expect(await status(tooMuch, 'application/json')).toBe(400);
  });

  it('sends the headers that protect a browser with every answer', async () => {
    for (const response of [
      await send({ headers: JSON_TYPE, body: query }),
      await fetch(`${app.url}/nothing`),
      await fetch(`${app.url}/livez`),
    ]) {
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'strict-transport-security': expect.stringContaining('max-age='),
      });
      expect(response.headers.get('x-powered-by')).toBeNull();
      expect(response.headers.get('server')).toBeNull();
    }
  });

  it('believes no forwarded header unless it is behind a proxy', async () => {
    const headers = {
      ...JSON_TYPE,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'graph.example',
      'x-svc-authtoken': CANARY,
    };
    const response = await send({ headers, body: query });
    expect(await response.json()).toEqual({ data: { hasSession: false } });
  });

  it('asked the platform for nothing in all that', () => {
    expect(platform.connections).toBe(0);
  });
});
