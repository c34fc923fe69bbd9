import { describe, expect, it } from 'vitest';
import { LoginFailedError, PlatformError, PlatformUnreachableError } from '../../../src/client/index.js';
import { eventually } from '../../support/eventually.js';
import { startFaultProxy } from '../../support/fault-proxy.js';
import { gate } from '../../support/gate.js';
import { loggedIn, openSession, sessionWithToken } from '../../support/client/logged-in.js';
import { errorAnswer, loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
} from '../../support/embedded-platform/scripted-platform.js';

const good: ScriptedAnswer = { status: 200, body: [] };
const reset: ScriptedAnswer = (_request, response) => void response.socket?.resetAndDestroy();

const cutShort: ScriptedAnswer = (_request, response) =>
  void response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[');

/** All of them together: most of their time is the wait before a retry. */
describe.concurrent.each(['got', 'undici'] as const)('a read, by %s,', (transport) => {
  async function readingThrough(...answers: ScriptedAnswer[]) {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': answers,
    });
    return { platform, session: await loggedIn(platform.baseUrl, { transport }) };
  }

  it.each<[string, ScriptedAnswer]>([
    ['a reset', reset],
    ['a body that is cut short', cutShort],
    [
      '502 without a code',
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<p>Bad gateway</p>' },
    ],
    ['503 without a code', { status: 503, body: {} }],
    ['504 without a body', { status: 504 }],
    ['520 without a code', { status: 520, body: '<html>' }],
    ['524 without a body', { status: 524 }],
    ['429 that asks to wait 0 s', { status: 429, headers: { 'retry-after': '0' } }],
  ])('is retried once after %s', async (_name, failure) => {
    const { platform, session } = await readingThrough(failure, good);

    await expect(session.getProjects()).resolves.toEqual([]);

    expect(platform.count('GET projects')).toBe(2);
  });

  it.each<[string, ScriptedAnswer]>([
    ['500', { status: 500 }],
    ['401 by ERR009', errorAnswer(401, 'ERR009')],
    ['503 by ERR0013, which the platform itself answered', errorAnswer(503, 'ERR0013')],
    [
      '503 by ERR0013 that is called plain text',
      { status: 503, headers: { 'content-type': 'text/plain' }, body: '{"code":"ERR0013"}' },
    ],
    ['429 that does not say how long to wait', { status: 429 }],
    [
      'a body that is not what it should be',
      { status: 200, body: 'x', headers: { 'content-type': 'text/html' } },
    ],
  ])('is not retried after %s', async (_name, failure) => {
    const { platform, session } = await readingThrough(failure, good);

    await expect(session.getProjects()).rejects.toThrow(PlatformError);

    expect(platform.count('GET projects')).toBe(1);
  });

  it('fails with the second failure', async () => {
    const { platform, session } = await readingThrough({ status: 503 }, cutShort, good);

    await expect(session.getProjects()).rejects.toThrow(PlatformUnreachableError);

    expect(platform.count('GET projects')).toBe(2);
  });

  it('is retried when the connection was refused', async () => {
    const platform = await startScriptedPlatform({ 'POST auth/login': loginAnswer(), 'GET projects': good });
    const proxy = await startFaultProxy(Number(new URL(platform.baseUrl).port));
    const session = await loggedIn(`http://127.0.0.1:${proxy.port}/api`, {
      transport,
      observeCall: () => ({ retried: () => void proxy.accept() }),
    });
    await proxy.refuse();

    await expect(session.getProjects()).resolves.toEqual([]);
  });

  it('is not retried when Retry-After exceeds the deadline, and reports how long to wait', async () => {
    const { platform, session } = await readingThrough(
      { status: 503, headers: { 'retry-after': '3600' } },
      good,
    );

    await expect(session.getProjects()).rejects.toMatchObject({
      status: 503,
      retryable: true,
      retryAfterSeconds: 3600,
    });

    expect(platform.count('GET projects')).toBe(1);
  });

  it('accepts Retry-After as a date or as seconds', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': { status: 503, headers: { 'retry-after': 'Tue, 01 Jan 2030 01:00:00 GMT' } },
    });
    const session = await loggedIn(platform.baseUrl, { transport, now: () => Date.UTC(2030, 0, 1) });

    await expect(session.getProjects()).rejects.toMatchObject({ retryAfterSeconds: 3600 });
  });

  it.each(['soon', '', '-1'])('ignores %j as a time to wait', async (value) => {
    const { session } = await readingThrough(
      { status: 429, headers: { 'retry-after': value } },
      { status: 500 },
    );

    await expect(session.getProjects()).rejects.not.toHaveProperty('retryAfterSeconds');
  });
});

describe.concurrent('the reads of a connection', () => {
  it.each([
    [4, 3],
    [10, 3],
    [40, 8],
  ])(
    'that fail together, %d, are repeated %d at a time, and the others fail at once',
    async (calls, repeated) => {
      const allAsked = gate();
      const othersFailed = gate();
      let asked = 0;
      const platform = await startScriptedPlatform({
        '*': async (_request, response) => {
          const isRepetition = asked >= calls;
          asked += 1;
          if (asked === calls) allAsked.open();
          await (isRepetition ? othersFailed : allAsked).passed;
          response.writeHead(isRepetition ? 204 : 503).end();
        },
      });
      const session = sessionWithToken(platform.baseUrl, { maxCallsPerSession: 64 });
      let failed = 0;

      const reads = Array.from({ length: calls }, () =>
        session.request('GET', 'things').catch((error: unknown) => {
          failed += 1;
          return error;
        }),
      );
      await eventually(() => failed === calls - repeated);
      othersFailed.open();
      const answers = await Promise.all(reads);

      expect(failed).toBe(calls - repeated);
      expect(asked).toBe(calls + repeated);
      for (const answer of answers) expect([204, 503]).toContain((answer as { status: number }).status);
    },
  );

  it('are retried again once earlier retries have ended', async () => {
    const platform = await startScriptedPlatform({ '*': [{ status: 503 }, { status: 204 }] });
    const session = sessionWithToken(platform.baseUrl);

    for (let round = 0; round < 5; round += 1) {
      await expect(session.request('GET', `things-${round}`)).resolves.toHaveProperty('status', 204);
    }
  });
});

describe('a call that changes something', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('is not retried: %s', async (method) => {
    const platform = await startScriptedPlatform({ '*': [{ status: 503 }, good] });

    await expect(sessionWithToken(platform.baseUrl).request(method, 'things')).rejects.toMatchObject({
      status: 503,
    });

    expect(platform.requests).toHaveLength(1);
  });

  it.each<[string, ScriptedAnswer]>([
    ['a reset', reset],
    ['503', { status: 503 }],
    ['429 that asks to wait 0 s', { status: 429, headers: { 'retry-after': '0' } }],
  ])('is not retried: login and delegate, after %s', async (_name, failure) => {
    const platform = await startScriptedPlatform({ '*': [failure, failure, loginAnswer()] });
    const session = sessionWithToken(platform.baseUrl);

    await expect(session.login({ username: 'u', password: 'p' })).rejects.toThrow(PlatformError);
    await expect(session.delegate('identity')).rejects.toThrow(PlatformError);

    expect(platform.count('POST auth/login')).toBe(1);
    expect(platform.count('POST auth/delegate')).toBe(1);
  });

  it('is not retried: a rejected login', async () => {
    const platform = await startScriptedPlatform({ '*': [errorAnswer(401, 'ERR003'), loginAnswer()] });

    await expect(openSession(platform.baseUrl).login()).rejects.toThrow(LoginFailedError);

    expect(platform.requests).toHaveLength(1);
  });
});
