import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ExecutionCancelledError, PlatformTimeoutError } from '../../src/client/index.js';
import { eventually } from '../support/eventually.js';
import { loggedIn, openSession } from '../support/logged-in.js';
import { loginAnswer, redirectTo } from '../support/platform-answers.js';
import { startScriptedPlatform, type ScriptedAnswer } from '../support/scripted-platform.js';

const hang: ScriptedAnswer = () => undefined;

/** One byte of a long body at a time. */
function drip(everyMs: number): ScriptedAnswer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), everyMs);
    response.on('close', () => {
      clearInterval(timer);
    });
  };
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

describe.each(['got', 'undici'] as const)('the deadline of a call, by %s,', (transport) => {
  it.each<[string, ScriptedAnswer | ScriptedAnswer[]]>([
    ['the platform is silent', hang],
    ['the body comes at 1 byte per 200 ms', drip(200)],
    [
      'redirects follow each other slowly',
      (_request, response) => {
        setTimeout(() => response.writeHead(302, { location: 'projects' }).end(), 40);
      },
    ],
    ['the first answer fails and the second hangs', [{ status: 503 }, hang]],
  ])('holds when %s', async (_name, answer) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': answer,
    });
    const session = await loggedIn(platform.baseUrl, { transport, timeoutMs: 400 });

    const took = await millisecondsOf(() =>
      expect(session.getProjects()).rejects.toMatchObject({
        constructor: PlatformTimeoutError,
        retryable: true,
      }),
    );

    expect(took).toBeGreaterThan(350);
    expect(took).toBeLessThan(1500);
    await eventually(() => platform.openConnections <= 1);
  });

  it('holds for a login, which is not repeated', async () => {
    const platform = await startScriptedPlatform({ '*': hang });

    await expect(openSession(platform.baseUrl, { transport, timeoutMs: 50 }).login()).rejects.toThrow(
      PlatformTimeoutError,
    );

    expect(platform.requests).toHaveLength(1);
  });
});

describe.each(['got', 'undici'] as const)('an aborted call, by %s,', (transport) => {
  it.each<[string, ScriptedAnswer]>([
    ['before the answer', hang],
    ['within the answer', drip(5)],
    ['between two attempts', { status: 503, headers: { 'retry-after': '5' } }],
    ['between two redirects', redirectTo('projects')],
  ])('ends at once %s', async (_name, answer) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': answer,
    });
    const session = await loggedIn(platform.baseUrl, { transport, maxRedirects: 1_000_000 });
    const { signal, abort } = abortion();

    const reading = expect(session.getProjects({ signal })).rejects.toThrow(ExecutionCancelledError);
    await eventually(() => platform.count('GET projects') > 0);
    const took = await millisecondsOf(async () => {
      abort();
      await reading;
    });

    expect(took).toBeLessThan(500);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('makes no request when it was aborted before', async () => {
    const platform = await startScriptedPlatform({});

    const call = openSession(platform.baseUrl, { transport }).login(
      {},
      { signal: AbortSignal.abort('reason') },
    );

    await expect(call).rejects.toThrow(ExecutionCancelledError);
    expect(platform.connections).toBe(0);
  });

  it('leaves other calls of the session alone', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': hang,
      'GET sessions': { status: 200, body: {} },
    });
    const session = await loggedIn(platform.baseUrl, { transport });
    const { signal, abort } = abortion();

    const cancelled = expect(session.getProjects({ signal })).rejects.toThrow(ExecutionCancelledError);
    const others = Promise.all(Array.from({ length: 20 }, () => session.getSessions()));
    abort();

    await cancelled;
    await expect(others).resolves.toHaveLength(20);
  });

  it('leaves no listener on a signal that outlives it', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      '*': { status: 200, body: {} },
    });
    const session = await loggedIn(platform.baseUrl, { transport });
    const { signal } = abortion();

    for (let call = 0; call < 20; call += 1) await session.getSessions({ signal });

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

function abortion(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: () => {
      controller.abort();
    },
  };
}
