import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ExecutionCancelledError,
  PlatformTimeoutError,
  type PlatformSessionOptions,
  QueueTimeoutError,
} from '../../../src/client/index.js';
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
    vi.useRealTimers();
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
    vi.advanceTimersByTime(TIMEOUT_MS - 1);
    expect(await hasEnded(outcome)).toBe(false);
    vi.advanceTimersByTime(1);

    expect(await outcome).toMatchObject({ constructor: PlatformTimeoutError, retryable: true });
    await eventually(() => platform.openConnections <= 1);
  });

  it('holds for a login, which is not retried', async () => {
    const platform = await startScriptedPlatform({ '*': hang });

    const outcome = openSession(platform.baseUrl, { transport, timeoutMs: TIMEOUT_MS })
      .login()
      .catch((error: unknown) => error);
    await eventually(() => platform.requests.length > 0);
    vi.advanceTimersByTime(TIMEOUT_MS);

    expect(await outcome).toBeInstanceOf(PlatformTimeoutError);
    expect(platform.requests).toHaveLength(1);
  });
});

describe.each(['got', 'undici'] as const)('calls that wait for a connection, by %s,', (transport) => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A platform that takes its time for each call. */
  async function slowPlatform(ms: number, options: PlatformSessionOptions) {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      '*': async (_request, response) => {
        await pause(ms);
        response.writeHead(204).end();
      },
    });
    return { platform, session: await loggedIn(platform.baseUrl, { transport, ...options }) };
  }

  it('have all of their time when they get one', async () => {
    let answer = (): void => undefined;
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET reports': (_request, response) => {
        answer = () => response.writeHead(204).end();
      },
    });
    const limits = { timeoutMs: TIMEOUT_MS, queueTimeoutMs: 1_000_000, maxCallsPerSession: 1 };
    const session = await loggedIn(platform.baseUrl, { transport, ...limits });
    holdTimers('setTimeout');

    // Together they take longer than one of them may.
    const calls = Promise.all(Array.from({ length: 10 }, () => session.request('GET', 'reports')));
    for (let sent = 1; sent <= 10; sent += 1) {
      await eventually(() => platform.count('GET reports') === sent);
      vi.advanceTimersByTime(TIMEOUT_MS / 2);
      answer();
    }

    await expect(calls).resolves.toHaveLength(10);
  });

  it('are not sent once they were told that it took too long, and say so', async () => {
    const { platform, session } = await slowPlatform(40, { queueTimeoutMs: 100, maxCallsPerSession: 8 });
    let told = 0;

    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, nth) => {
        const error: unknown = await session.request('POST', 'reports', { query: { nth } }).then(
          () => undefined,
          (failure: unknown) => failure,
        );
        if (error !== undefined) told += 1;
        return error;
      }),
    );
    const sent = platform.count('POST reports');
    await pause(50);

    const failures = outcomes.filter((outcome) => outcome !== undefined);
    expect([platform.count('POST reports'), sent + told]).toEqual([sent, 100]);
    expect(failures.length).toBeGreaterThan(50);
    for (const failure of failures) {
      expect(failure).toMatchObject({ kind: 'queue-timeout', retryable: true, name: 'QueueTimeoutError' });
    }
    expect((failures[0] as Error).message).toContain('100 ms (queueTimeoutMs)');
  });

  it('may each have a limit of their own', async () => {
    const { session } = await slowPlatform(40, { maxCallsPerSession: 1 });

    const first = session.request('GET', 'reports');
    const second = session.request('GET', 'reports', { queueTimeoutMs: 5 });

    await expect(second).rejects.toThrow(QueueTimeoutError);
    await expect(first).resolves.toMatchObject({ status: 204 });
  });
});

describe.each(['got', 'undici'] as const)('an aborted call, by %s,', (transport) => {
  it('says why, by the reason of the signal', async () => {
    const platform = await startScriptedPlatform({ '*': hang });
    const session = openSession(platform.baseUrl, { transport });

    const error: unknown = await session
      .login({}, { signal: AbortSignal.timeout(5) })
      .catch((failure: unknown) => failure);

    expect(error).toMatchObject({ kind: 'cancelled', cause: { name: 'TimeoutError' } });
    expect((error as Error).message).toContain('time limit');
    expect(JSON.stringify(error)).not.toContain('cause');
  });

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
