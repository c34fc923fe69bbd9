import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startPlatform, type StartedPlatform } from '../support/embedded-platform/start-platform.js';
import { rawExchange } from '../support/raw-exchange.js';
import { expectRefusal } from './expect-refusal.js';
import { statusOf, Wire, type WireBody } from './wire.js';

const LIMIT = 64 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const ANONYMOUS = { loginMode: 8, applicationType: 8 };

/** An anonymous login whose body has exactly that many bytes. */
function loginOfSize(bytes: number): string {
  const empty = JSON.stringify({ ...ANONYMOUS, filler: '' }).length;
  return JSON.stringify({ ...ANONYMOUS, filler: 'x'.repeat(bytes - empty) });
}

describe('a request body on the embedded platform', () => {
  let platform: StartedPlatform;
  let wire: Wire;
  let port: number;
  beforeAll(async () => {
    platform = await startPlatform();
    wire = new Wire(platform.baseUrl);
    port = Number(new URL(platform.baseUrl).port);
  });
  afterAll(() => platform.close());

  const post = (body: WireBody, headers: Record<string, string> = JSON_TYPE) =>
    wire.call('POST auth/login', { body, headers });

  it.each([
    ['that is cut off', '{'],
    ['with a trailing comma', '{"loginMode":8,}'],
    ['that is a form', 'loginMode=8'],
    ['nested without end', '['.repeat(40_000)],
    ['that is a string', '"text"'],
    ['that is a list', '[]'],
    ['that is null', 'null'],
    ['that is a number', '8'],
    ['that is one zero byte', '\0'],
  ])('called JSON %s is refused as invalid', async (_what, body) => {
    await expectRefusal(post(body), { status: 400, code: 'ERR006' });
  });

  it('that is not UTF-8 is refused as invalid', async () => {
    await expectRefusal(
      post(Uint8Array.from(Buffer.from(JSON.stringify({ ...ANONYMOUS, filler: 'ÿ' }), 'latin1'))),
      { status: 400, code: 'ERR006' },
    );
  });

  it('is not repeated in the refusal', async () => {
    const response = await post('{"password":"CANARY-PW" "x"}');

    expect(await response.text()).not.toContain('CANARY');
  });

  it('that is empty is refused as missing information', async () => {
    await expectRefusal(post(''), { status: 400, code: 'ERR005' });
  });

  it.each([{ 'content-type': 'text/plain' }, { ...JSON_TYPE, 'content-encoding': 'gzip' }])(
    'of another type is refused: %j',
    async (headers) => {
      await expectRefusal(post(JSON.stringify(ANONYMOUS), headers), { status: 415, code: 'ERR006' });
    },
  );

  it.each(['application/json;charset=UTF-8', 'Application/JSON', 'application/json ; charset=utf-8'])(
    'is JSON by the content type %s',
    async (type) => {
      expect(await statusOf(post(JSON.stringify(ANONYMOUS), { 'content-type': type }))).toBe(204);
    },
  );

  it('is JSON without a content type', async () => {
    const body = JSON.stringify(ANONYMOUS);
    const answer = await rawExchange(
      platform.baseUrl,
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
  });

  it('of exactly 64 KB is read', async () => {
    expect(await statusOf(post(loginOfSize(LIMIT)))).toBe(204);
  });

  it.each([LIMIT + 1, 8 * 1024 * 1024])('of %d bytes is refused, in JSON', async (size) => {
    await expectRefusal(post(loginOfSize(size)), { status: 413, code: 'ERR006' });
  });

  it('over 64 KB is also refused on calls that need none', async () => {
    const headers = { ...JSON_TYPE, ...(await wire.loginAs('demo')).headers };

    await expectRefusal(wire.call('PUT sessions', { body: 'x'.repeat(LIMIT + 1), headers }), {
      status: 413,
      code: 'ERR006',
    });
    expect(await statusOf(wire.call('PUT sessions', { body: 'anything', headers }))).toBe(204);
  });

  it('whose announced length is too large is refused before it is sent', async () => {
    const answer = await rawExchange(
      platform.baseUrl,
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain('"code":"ERR006"');
  });

  it('over 64 KB may be sent to its end after the refusal, as some callers do before they look', async () => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    const closed = once(socket, 'close');
    socket.write(`POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: ${8 * LIMIT}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [string];
    for (let part = 0; part < 8; part += 1) {
      socket.write('x'.repeat(LIMIT));
      await setImmediate();
    }

    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    // An `error` would mean that the connection was cut while it was written to.
    expect(await closed).toEqual([false]);
  });

  it('without an end is soon cut off', async () => {
    const { answer, sent } = await sendWithoutEnd(port);

    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    // A megabyte, and what the operating system buffers on both sides.
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it('that is cut off harms no other request', async () => {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve) =>
      socket.write('POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{', resolve),
    );
    socket.destroy();

    expect(await statusOf(post(JSON.stringify(ANONYMOUS)))).toBe(204);
  });
});

/** Sends chunks while the connection is open. Returns the answer and the number of bytes sent. */
async function sendWithoutEnd(port: number): Promise<{ answer: string; sent: number }> {
  let answer = '';
  let sent = 0;
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  const chunk = `${LIMIT.toString(16)}\r\n${'x'.repeat(LIMIT)}\r\n`;
  const send = (error?: Error | null): void => {
    if (error) return;
    sent += chunk.length;
    socket.write(chunk, send);
  };
  socket.on('data', (text: string) => (answer += text));
  socket.on('error', () => undefined);
  socket.write('POST /api/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n', send);
  await new Promise((resolve) => socket.on('close', resolve));
  return { answer, sent };
}
