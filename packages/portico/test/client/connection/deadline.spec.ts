import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ExecutionCancelledError, PlatformTimeoutError } from '../../../src/client/index.js';
import { eventually } from '../../support/eventually.js';
import { holdTimers } from '../../support/client/hold-timers.js';
import { loggedIn, openSession } from '../../support/client/logged-in.js';
import { loginAnswer, redirectTo } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
} from '../../support/embedded-platform/scripted-platform.js';

const TIMEOUT_MS = 8000;

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

/** Whether a call has ended by the time that the sockets have had their turn. */
async function hasEnded(call: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([call, pause(10, pending)])) !== pending;
}

describe.each(['got', 'undici'] as const)('the deadline of a call, by %s,', (transport) => {
  beforeEach(() => {
    holdTimers('setTimeout');
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each<[string, number, ScriptedAnswer | ScriptedAnswer[]]>([
    ['the platform is silent', 1, hang],
    ['the body comes at 1 byte per 200 ms', 1, drip(200)],
    [
      'redirects follow each other slowly',
      3,
      async (_request, response) => {
        await pause(40);
        response.writeHead(302, { location: 'projects' }).end();
      },
    ],
    ['the first answer fails and the second hangs', 2, [{ status: 503 }, hang]],
  ])('holds when %s', async (_name, requests, answer) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': answer,
    });
    const session = await loggedIn(platform.baseUrl, { transport, timeoutMs: TIMEOUT_MS });

    const outcome = session.getProjects().catch((error: unknown) => error);
    await eventually(() => platform.count('GET projects') >= requests);
    jest.advanceTimersByTime(TIMEOUT_MS - 1);
    expect(await hasEnded(outcome)).toBe(false);
    jest.advanceTimersByTime(1);

    expect(await outcome).toMatchObject({ constructor: PlatformTimeoutError, retryable: true });
    await eventually(() => platform.openConnections <= 1);
  });

  it('holds for a login, which is not retried', async () => {
    const platform = await startScriptedPlatform({ '*': hang });

    const outcome = openSession(platform.baseUrl, { transport, timeoutMs: TIMEOUT_MS })
      .login()
      .catch((error: unknown) => error);
    await eventually(() => platform.requests.length > 0);
    jest.advanceTimersByTime(TIMEOUT_MS);

    expect(await outcome).toBeInstanceOf(PlatformTimeoutError);
    expect(platform.requests).toHaveLength(1);
  });
});

describe.each(['got', 'undici'] as const)('an aborted call, by %s,', (transport) => {
  it.each<[string, ScriptedAnswer]>([
    ['before the answer', hang],
    ['within the answer', drip(5)],
    ['between two attempts', { status: 503, headers: { 'retry-after': '5' } }],
    ['between two redirects', redirectTo('projects')],
  ])('ends immediately %s', async (_name, answer) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': answer,
    });
    const session = await loggedIn(platform.baseUrl, {
      transport,
      maxRedirects: 1_000_000,
      timeoutMs: TIMEOUT_MS,
    });
    const { signal, abort } = abortion();

    const reading = expect(session.getProjects({ signal })).rejects.toThrow(ExecutionCancelledError);
    await eventually(() => platform.count('GET projects') > 0);
    abort();
    await reading;

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('makes no request when it was already aborted', async () => {
    const platform = await startScriptedPlatform({});

    const call = openSession(platform.baseUrl, { transport, timeoutMs: TIMEOUT_MS }).login(
      {},
      { signal: AbortSignal.abort('reason') },
    );

    await expect(call).rejects.toThrow(ExecutionCancelledError);
    expect(platform.connections).toBe(0);
  });

  it('does not affect other calls of the session', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': hang,
      'GET sessions': { status: 200, body: {} },
    });
    const session = await loggedIn(platform.baseUrl, { transport, timeoutMs: TIMEOUT_MS });
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
    const session = await loggedIn(platform.baseUrl, { transport, timeoutMs: TIMEOUT_MS });
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
