import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PlatformHttpError, type PlatformSession } from '../../../src/client/index.js';
import { loggedIn, openSession, sessionWithToken } from '../../support/client/logged-in.js';
import { loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
} from '../../support/embedded-platform/scripted-platform.js';

const run = promisify(execFile);
const MIB = 1024 * 1024;

function encoded(body: Buffer, encoding: string): ScriptedAnswer {
  return { status: 200, headers: { 'content-type': 'application/json', 'content-encoding': encoding }, body };
}

describe.each(['got', 'undici'] as const)('a body, by %s,', (transport) => {
  it('of 64 KB gzip that inflates to 64 MiB costs under 32 MB and is a protocol error', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MIB, ' '));
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': { status: 200, body: {} },
      'GET projects': encoded(bomb, 'gzip'),
    });

    const { stdout } = await run('node', [
      'test/support/client/memory-probe.ts',
      platform.baseUrl,
      transport,
    ]);
    const { kind, risen } = JSON.parse(stdout) as { kind: string; risen: number };

    expect(bomb.byteLength).toBeLessThan(66 * 1024);
    expect(kind).toBe('PlatformHttpError');
    expect(risen).toBeLessThan(32 * MIB);
  });

  it.each<[string, (body: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (body) => body],
  ])('is read when it is encoded as %s, up to the limit and not past it', async (encoding, encode) => {
    const text = (length: number): Buffer =>
      encode(Buffer.from(JSON.stringify({ id: 'x'.repeat(length - 9) })));
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': encoded(text(1000), encoding),
      'GET sessions/userInfo': encoded(text(1001), encoding),
    });
    const session = await loggedIn(platform.baseUrl, { transport, maxResponseBytes: 1000 });

    await expect(session.getSessions()).resolves.toHaveProperty('id');
    await expect(session.getUserInfo()).rejects.toThrow('larger than 1000 bytes');
  });

  it('may have at most 4 MiB by default', async () => {
    const text = (length: number): string => JSON.stringify('x'.repeat(length - 2));
    const headers = { 'content-type': 'application/json' };
    const platform = await startScriptedPlatform({
      'GET whole': { status: 200, headers, body: text(4 * MIB) },
      'GET more': { status: 200, headers, body: text(4 * MIB + 1) },
    });
    const session = sessionWithToken(platform.baseUrl, { transport });

    await expect(session.request('GET', 'whole')).resolves.toHaveProperty('byteLength', 4 * MIB);
    await expect(session.request('GET', 'more')).rejects.toThrow(PlatformHttpError);
  });

  it.each<['HEAD' | 'GET', number]>([
    ['HEAD', 200],
    ['GET', 204],
  ])('that does not exist is not decoded: %s, %d', async (method, status) => {
    const platform = await startScriptedPlatform({
      '*': { status, headers: { 'content-encoding': 'gzip' } },
    });

    const response = await sessionWithToken(platform.baseUrl, { transport }).request(method, 'things');

    expect(response).toMatchObject({ status, byteLength: 0 });
  });

  it.each<[string, ScriptedAnswer]>([
    ['broken gzip', encoded(Buffer.from('not gzip'), 'gzip')],
    ['gzip cut short', encoded(gzipSync('{"id":"x"}').subarray(0, 15), 'gzip')],
  ])('that is %s is a protocol error', async (_name, answer) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': answer,
    });
    const session = await loggedIn(platform.baseUrl, { transport });

    await expect(session.getSessions()).rejects.toThrow(PlatformHttpError);
  });
});

describe.each(['got', 'undici'] as const)('a login, by %s,', (transport) => {
  const token = ['X-SVC-AuthToken', 'the-token'];
  const junk = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => [`X-SVC-J${index}`, 'junk']).flat();

  async function loginWith(headers: string[]) {
    const platform = await startScriptedPlatform({ 'POST auth/login': { status: 204, headers } });
    const session = openSession(platform.baseUrl, { transport });
    const login = session.login();
    return { session, login };
  }

  it.each<[string, string[]]>([
    ['900 vendor headers after the token', [...token, ...junk(900)]],
    ['900 vendor headers before the token', [...junk(900), ...token]],
    ['a vendor header of 20 KB', [...token, 'X-SVC-Long', 'a'.repeat(20_000)]],
    [
      '5,000 cookies',
      [...token, ...Array.from({ length: 5000 }, (_, i) => ['Set-Cookie', `c${i}=${'v'.repeat(20)}`]).flat()],
    ],
    ['a cookie of 100 KB', [...token, 'Set-Cookie', `big=${'v'.repeat(100 * 1024)}`]],
    [
      '200 cookies of 1 KB',
      [
        ...token,
        ...Array.from({ length: 200 }, (_, i) => ['Set-Cookie', `c${i}=${'v'.repeat(1000)}`]).flat(),
      ],
    ],
  ])('succeeds with %s and holds a bounded part', async (_name, headers) => {
    const { session, login } = await loginWith(headers);

    await login;

    const snapshot = session.toDict();
    const cookieBytes = snapshot.cookies.reduce(
      (sum, { name, value }) => sum + name.length + value.length,
      0,
    );
    expect(snapshot.headers['X-SVC-AuthToken']).toBe('the-token');
    expect(Object.keys(snapshot.headers).length).toBeLessThanOrEqual(17);
    expect(JSON.stringify(snapshot.headers).length).toBeLessThan(5000);
    expect(liveCookies(session).length).toBeLessThanOrEqual(50);
    expect(snapshot.cookies.length).toBeLessThan(60);
    expect(cookieBytes).toBeLessThanOrEqual(8192);
    expect(session.json().length).toBeLessThan(20_000);
  });

  it.each<[string, string[]]>([
    ['1,200 headers before the token', [...junk(1200), ...token]],
    ['4,000 headers', [...token, ...junk(4000)]],
    ['a token of 20 KB', ['X-SVC-AuthToken', 'a'.repeat(20_000)]],
    ['300 KB of headers', [...token, 'X-Long', 'a'.repeat(300 * 1024)]],
  ])('fails with %s', async (_name, headers) => {
    const { session, login } = await loginWith(headers);

    await expect(login).rejects.toThrow(PlatformHttpError);

    expect(session.hasSession()).toBe(false);
  });
});

describe('vendor headers', () => {
  it('of later responses replace the held ones, within the limits', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': Array.from({ length: 40 }, (_, index) => ({
        status: 200,
        headers: { [`X-SVC-N${index}`]: String(index), 'x-svc-total-count': String(index), 'X-Other': 'x' },
        body: {},
      })),
    });
    const session = await loggedIn(platform.baseUrl);

    for (let call = 0; call < 40; call += 1) await session.getSessions();

    const { headers } = session.toDict();
    expect(Object.keys(headers)).toHaveLength(17);
    expect(headers['x-svc-total-count']).toBe('39');
    expect(headers).not.toHaveProperty('x-other');
  });

  it('other than the token are not sent back, and an identity token, which is for somebody else, is not kept', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': {
        status: 204,
        headers: { 'X-SVC-AuthToken': 'abc', 'X-SVC-IdentityToken': 'idt', 'X-SVC-Total-Count': '1' },
      },
      'GET sessions': { status: 200, body: {} },
    });
    const session = await loggedIn(platform.baseUrl);

    await session.getSessions();

    const sent = Object.keys(platform.requests[1]?.headers ?? {}).filter((name) => name.startsWith('x-svc'));
    expect(sent).toEqual(['x-svc-authtoken']);
    expect(session.toDict().headers).toEqual({ 'X-SVC-AuthToken': 'abc', 'x-svc-total-count': '1' });
  });
});

describe('cookies', () => {
  it.each([
    'foreign=1; Domain=example.com',
    'suffix=1; Domain=com',
    'proto=1; Domain=__proto__',
    'sub=1; Domain=other.127.0.0.1',
    '__Host-x=1; Path=/',
    'no cookie',
    '=nameless',
  ])('of other hosts are dropped and counted, and the login succeeds: %s', async (cookie) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': {
        status: 204,
        headers: ['X-SVC-AuthToken', 'abc', 'Set-Cookie', cookie, 'Set-Cookie', 'good=1'],
      },
    });
    const session = openSession(platform.baseUrl);

    await session.login();

    expect(liveCookies(session)).toEqual(['good']);
    expect(session.droppedCookies).toBe(1);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('are sent to their path only, and end by age or when the platform removes them', async () => {
    let now = Date.UTC(2030, 0, 1);
    const platform = await startScriptedPlatform({
      'POST auth/login': {
        status: 204,
        headers: [
          ...[
            'X-SVC-AuthToken',
            'abc',
            'Set-Cookie',
            'all=1; Path=/api',
            'Set-Cookie',
            'some=2; Path=/api/projects',
          ],
          ...[
            'Set-Cookie',
            'short=3; Max-Age=60; Path=/',
            'Set-Cookie',
            'until=4; Expires=Tue, 01 Jan 2030 00:02:00 GMT; Path=/',
          ],
        ],
      },
      'GET sessions': [
        { status: 200, body: {} },
        { status: 200, body: {}, headers: { 'set-cookie': 'all=; Max-Age=0; Path=/api' } },
        { status: 200, body: {} },
      ],
    });
    const session = await loggedIn(platform.baseUrl, { now: () => now });

    await session.getSessions();
    now += 61_000;
    await session.getSessions();
    now += 60_000;
    await session.getSessions();

    expect(platform.requests.slice(1).map(({ headers }) => headers.cookie)).toEqual([
      'all=1; short=3; until=4',
      'all=1; until=4',
      undefined,
    ]);
    expect(liveCookies(session)).toEqual(['some']);
  });

  it('already held stay when the limit is reached, and can still be renewed', async () => {
    const flood = Array.from({ length: 60 }, (_, index) => ['Set-Cookie', `f${index}=x; Path=/`]).flat();
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer('abc', 'JSESSIONID=one; Path=/'),
      'GET sessions': { status: 200, body: {}, headers: [...flood, 'Set-Cookie', 'JSESSIONID=two; Path=/'] },
    });
    const session = await loggedIn(platform.baseUrl);

    await session.getSessions();

    expect(liveCookies(session)).toHaveLength(50);
    expect(session.toDict().cookies.find(({ name }) => name === 'JSESSIONID')?.value).toBe('two');
    expect(session.droppedCookies).toBe(11);
  });

  it('that expire do not accumulate', async () => {
    let now = Date.UTC(2030, 0, 1);
    const answers = Array.from({ length: 30 }, (_, round) => ({
      status: 200,
      body: {},
      headers: Array.from({ length: 10 }, (_, index) => [
        'Set-Cookie',
        `r${round}x${index}=v; Max-Age=1`,
      ]).flat(),
    }));
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': answers,
    });
    const session = await loggedIn(platform.baseUrl, { now: () => now });

    for (let round = 0; round < 30; round += 1) {
      await session.getSessions();
      now += 2000;
    }

    expect(session.droppedCookies).toBe(0);
    expect(liveCookies(session)).toEqual(['JSESSIONID']);
    expect(session.toDict().cookies.length).toBeLessThan(10);
  });
});

/** A snapshot also names what was dropped or has expired, without a value. */
function liveCookies(session: PlatformSession): string[] {
  return session.toDict().cookies.flatMap(({ name, value }) => (value === '' ? [] : [name]));
}
