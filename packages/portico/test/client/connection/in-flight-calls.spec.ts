import { describe, expect, it, vi } from 'vitest';
import {
  AuthenticatedPlatformSession,
  ClientClosedError,
  PlatformClient,
  PlatformTimeoutError,
  QueueTimeoutError,
  type CircuitChange,
} from '../../../src/client/index.js';
import { CallsInFlight } from '../../../src/client/connection/calls-in-flight.js';
import { eventually } from '../../support/eventually.js';
import { loggedIn } from '../../support/client/logged-in.js';
import { loginAnswer, redirectTo } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
} from '../../support/embedded-platform/scripted-platform.js';

const hang: ScriptedAnswer = () => undefined;
const half: ScriptedAnswer = (_request, response) =>
  void response.writeHead(200, { 'content-length': '10' }).write('[');
const closed = {
  constructor: ClientClosedError,
  kind: 'client-closed',
  message: 'The client is closed.',
  retryable: false,
};

describe('calls whose time is over together', () => {
  it('end a few at a time, so that others are served in between', async () => {
    const calls = new CallsInFlight();
    let iteration = 0;
    const count = (): void => {
      iteration += 1;
      if (calls.size > 0) setImmediate(count);
    };
    const ended = new Map<number, number>();
    const limits = { timeoutMs: 5, queueTimeoutMs: 5 };
    const all = Array.from({ length: 100 }, () =>
      calls
        .run(limits, undefined, () => new Promise(() => undefined))
        .catch((error: unknown) => {
          ended.set(iteration, (ended.get(iteration) ?? 0) + 1);
          return error;
        }),
    );
    setImmediate(count);
    for (const error of await Promise.all(all)) expect(error).toBeInstanceOf(PlatformTimeoutError);
    expect(Math.max(...ended.values())).toBeLessThanOrEqual(8);
    expect(calls.size).toBe(0);
  });
});

describe('a call that waits', () => {
  it('is over when the time for waiting is, although none is left for the platform', async () => {
    const calls = new CallsInFlight();
    const limits = { timeoutMs: 0, queueTimeoutMs: 40 };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      let isOver = (): boolean => true;
      const failure = calls.run(limits, undefined, (call) => {
        isOver = () => call.isOver;
        return call.wait(new Promise(() => undefined));
      });
      const ended = expect(failure).rejects.toBeInstanceOf(QueueTimeoutError);
      expect(isOver()).toBe(false);
      vi.advanceTimersByTime(39);
      expect(isOver()).toBe(false);
      vi.advanceTimersByTime(1);
      expect(isOver()).toBe(true);
      await ended;
    } finally {
      vi.useRealTimers();
    }
  });
});

describe.each(['got', 'undici'] as const)('closing, by %s,', (transport) => {
  it.each<[string, ScriptedAnswer]>([
    ['before its answer', hang],
    ['within its answer', half],
    ['in the pause before its repetition', { status: 503, headers: { 'retry-after': '5' } }],
    ['between redirects', redirectTo('projects')],
  ])('ends a call %s, which is not retried', async (_name, answer) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': answer,
    });
    const session = await loggedIn(platform.baseUrl, { transport, maxRedirects: 1_000_000 });

    const reading = session.getProjects().catch((error: unknown) => error);
    await eventually(() => platform.count('GET projects') > 0);
    await session.close();
    const made = platform.count('GET projects');

    expect(await reading).toMatchObject(closed);
    await eventually(() => platform.openConnections === 0);
    expect(platform.count('GET projects') - made).toBeLessThanOrEqual(1);
  });

  it('ends a login, which starts no session', async () => {
    const platform = await startScriptedPlatform({ 'POST auth/login': hang });
    const client = new PlatformClient({ baseUrl: platform.baseUrl, transport });
    const session = client.openSession();

    const login = session.login().catch((error: unknown) => error);
    await eventually(() => platform.count('POST auth/login') === 1);
    await client.close();

    expect(await login).toMatchObject(closed);
    expect(session.hasSession()).toBe(false);
    await expect(session.login()).rejects.toMatchObject(closed);
  });

  it('also ends calls that wait for a socket, and leaves no socket open', async () => {
    const platform = await startScriptedPlatform({ 'GET things': hang, 'GET one': { status: 204 } });
    const client = new PlatformClient({ baseUrl: platform.baseUrl, transport, maxCallsPerSession: 100 });
    const session = client.openSession();
    await session.request('GET', 'one', { includeAuth: false });

    const calls = Array.from({ length: 100 }, () =>
      session.request('GET', 'things', { includeAuth: false }).catch((error: unknown) => error),
    );
    await eventually(() => platform.count('GET things') === 96);
    await client.close();

    for (const failure of await Promise.all(calls)) expect(failure).toMatchObject(closed);
    await eventually(() => platform.openConnections === 0);
    expect(platform.count('GET things')).toBe(96);
  });

  it('does not count as a failure of the platform', async () => {
    const platform = await startScriptedPlatform({ 'GET things': hang });
    const changes: CircuitChange[] = [];
    const client = new PlatformClient({
      baseUrl: platform.baseUrl,
      transport,
      maxCallsPerSession: 64,
      circuitBreaker: true,
      onCircuitChange: (change) => changes.push(change),
    });
    const session = client.openSession();

    const calls = Array.from({ length: 64 }, () =>
      session.request('GET', 'things', { includeAuth: false }).catch((error: unknown) => error),
    );
    await eventually(() => platform.count('GET things') === 64);
    await client.close();
    await Promise.all(calls);

    expect(changes).toEqual([]);
  });

  it('of a managed session logs out first, then ends the calls in flight', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/logout': { status: 204 },
      'GET projects': hang,
    });
    const session = await AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, transport });

    const reading = session.getProjects().catch((error: unknown) => error);
    await eventually(() => platform.count('GET projects') === 1);
    await session.close();

    expect(await reading).toMatchObject(closed);
    expect(platform.count('POST auth/logout')).toBe(1);
    await eventually(() => platform.openConnections === 0);
  });
});
