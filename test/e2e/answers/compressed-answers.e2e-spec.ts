import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';

const FIELDS = 'id name alias description status dateCreated dateModified owner { id name }';
const LIST = `{ projects { ${FIELDS} } }`;
const SHORT_LIST = '{ projects { id } }';
const LOGIN = `mutation { login(input: { username: "many-projects", password: "demo", transport: BEARER }) { handle projects { ${FIELDS} } } }`;

interface WireAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** All that came over the connection. */
  readonly wireBytes: number;
}

describe('a large answer on the wire', () => {
  let app: TestApp;
  let handle: string;
  beforeAll(async () => {
    app = await startApp();
    handle = await bearerHandle(app.graphql, { username: 'many-projects', password: 'demo' });
  });
  afterAll(() => app.close());

  /** Asks over a connection of its own. */
  async function ask(query: string, headers: Record<string, string> = {}): Promise<WireAnswer> {
    const sent = request(`${app.url}/graphql`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${handle}`, ...headers },
    });
    sent.end(JSON.stringify({ query }));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const { statusCode: status, headers: received } = answer;
    return { status, headers: received, body: Buffer.concat(chunks), wireBytes: answer.socket.bytesRead };
  }

  it('takes less than 150 KB for 5,000 projects where the caller takes gzip, and is the same', async () => {
    const plain = await ask(LIST);
    const compressed = await ask(LIST, { 'accept-encoding': 'gzip, deflate, br' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.wireBytes).toBeGreaterThan(1_400_000);
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(compressed.headers['content-length']).toBe(String(compressed.body.byteLength));
    expect(compressed.headers.vary).toMatch(/accept-encoding/);
    expect(compressed.wireBytes).toBeLessThan(150_000);
    expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
  });

  it('is never compressed where it may carry a handle', async () => {
    const { headers, body } = await ask(LOGIN, { 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).toBeUndefined();
    const { data } = JSON.parse(body.toString()) as { data: { login: { handle: string } } };
    // It takes the place of the session that asked for it.
    ({ handle } = data.login);
    expect(handle).toMatch(/^[\w-]{43}$/);
    expect(body.byteLength).toBeGreaterThan(1_000_000);
  });

  it('is not compressed where it is small', async () => {
    const { headers } = await ask('{ me { id } }', { 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).toBeUndefined();
  });

  it('reaches 12 callers at once, each whole, compressed or not', async () => {
    const expected = (await ask(SHORT_LIST)).body;
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => ask(SHORT_LIST, { 'accept-encoding': 'gzip' })),
    );
    for (const { status, headers, body } of answers) {
      expect(status).toBe(200);
      const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      expect(text.equals(expected)).toBe(true);
    }
  });

  it('of callers who hang up while it is made or compressed leaves nothing behind', async () => {
    for (const milliseconds of [0, 5, 10, 20, 40]) {
      const sent = request(`${app.url}/graphql`, {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${handle}`,
          'accept-encoding': 'gzip',
        },
      });
      sent.on('error', () => undefined);
      sent.end(JSON.stringify({ query: LIST }));
      setTimeout(() => sent.destroy(), milliseconds);
      await new Promise((resolve) => sent.once('close', resolve));
    }
    await eventually(async () => {
      const { status, headers } = await ask(LIST, { 'accept-encoding': 'gzip' });
      expect(status).toBe(200);
      expect(headers['content-encoding']).toBe('gzip');
    });
  });
});
