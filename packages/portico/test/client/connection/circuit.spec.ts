import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ExecutionCancelledError,
  PlatformClient,
  PlatformHttpError,
  PlatformUnreachableError,
  type CircuitChange,
  type PlatformClientOptions,
  type PlatformSession,
} from '../../../src/client/index.js';
import { eventually } from '../../support/eventually.js';
import { manualClock, type ManualClock } from '../../support/manual-clock.js';
import { errorAnswer } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
  type ScriptedPlatform,
} from '../../support/embedded-platform/scripted-platform.js';

/** Calls in ten seconds below which nothing is judged. */
const ENOUGH = 50;

/** Sessions that call. */
const PARTIES = 10;

describe('the circuit of a client', () => {
  let clock: ManualClock;
  let platform: ScriptedPlatform;
  let client: PlatformClient;
  let session: PlatformSession;
  let sessions: PlatformSession[];
  let answer: ScriptedAnswer;
  let changes: CircuitChange[];
  let logins: number;

  // It asks to wait longer than a deadline, so that no read is retried.
  const faulty: ScriptedAnswer = { status: 503, headers: { 'retry-after': '3600' }, body: '<p>Oops</p>' };
  const good: ScriptedAnswer = { status: 200, body: [] };
  const open = async (options: Partial<PlatformClientOptions> = {}): Promise<void> => {
    client = new PlatformClient({
      baseUrl: platform.baseUrl,
      circuitBreaker: true,
      // Long, so that a busy machine fails no call by its deadline.
      timeoutMs: 60_000,
      onCircuitChange: (change) => changes.push(change),
      ...options,
    });
    sessions = Array.from({ length: PARTIES }, () => client.openSession());
    for (const each of sessions) await each.login();
    [session] = sessions as [PlatformSession];
  };
  /** Calls by as many sessions in turn. */
  const outcomes = (times: number, parties = PARTIES): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: times }, async (_, nth) =>
        sessions[nth % parties]?.getProjects().catch((error: unknown) => error),
      ),
    );
  const fail = async (times = ENOUGH, parties = PARTIES): Promise<void> => {
    for (const error of await outcomes(times, parties)) expect(error).toBeInstanceOf(PlatformHttpError);
  };

  beforeEach(async () => {
    clock = manualClock();
    vi.spyOn(Date, 'now').mockImplementation(clock.now);
    answer = faulty;
    changes = [];
    logins = 0;
    platform = await startScriptedPlatform({
      'POST auth/login': (_request, response) => {
        logins += 1;
        response.writeHead(204, { 'X-SVC-AuthToken': `token-${logins}` }).end();
      },
      'POST auth/logout': { status: 204 },
      'GET projects': (request, response) => {
        if (typeof answer === 'function') return answer(request, response);
        response.writeHead(answer.status, {
          'content-type': 'application/json',
          ...(answer.headers as Record<string, string> | undefined),
        });
        response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
      },
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await client.close();
  });

  it('opens when the platform keeps failing, then refuses calls immediately and says for how long', async () => {
    await open();
    await fail();

    const refused: unknown = await session.getProjects().catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(PlatformUnreachableError);
    expect(refused).toMatchObject({ reason: 'CIRCUIT_OPEN', retryable: true });
    const { retryAfterSeconds } = refused as PlatformUnreachableError;
    expect([4, 5, 6]).toContain(retryAfterSeconds);
    expect(platform.count('GET projects')).toBe(ENOUGH);
    expect(changes).toEqual([{ circuit: 'data', isOpen: true, openMs: expect.any(Number) }]);
    expect(changes[0]?.openMs).toBeGreaterThanOrEqual(4000);
    expect(changes[0]?.openMs).toBeLessThanOrEqual(6000);
  });

  it('lets a single call through after a pause, and closes when it succeeds', async () => {
    await open();
    await fail();
    clock.advance(6000);
    let release = (): void => undefined;
    answer = (_request, response) => {
      release = () => response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    };

    const trying = session.getProjects();
    await eventually(() => platform.count('GET projects') === ENOUGH + 1);
    await expect(session.getProjects()).rejects.toMatchObject({
      reason: 'CIRCUIT_OPEN',
      retryAfterSeconds: 1,
    });
    release();

    await expect(trying).resolves.toEqual([]);
    answer = good;
    await expect(session.getProjects()).resolves.toEqual([]);
    expect(changes).toEqual([
      { circuit: 'data', isOpen: true, openMs: expect.any(Number) },
      { circuit: 'data', isOpen: false, openMs: 0 },
    ]);
  });

  it('stays open for another pause when the test call fails', async () => {
    await open();
    await fail();
    clock.advance(6000);
    await fail(1);

    await expect(session.getProjects()).rejects.toMatchObject({ reason: 'CIRCUIT_OPEN' });
    expect(platform.count('GET projects')).toBe(ENOUGH + 1);
  });

  it('is not closed by a test call that its caller cancelled', async () => {
    await open();
    await fail();
    clock.advance(6000);
    answer = () => undefined;
    const abort = new AbortController();

    const trying = session.getProjects({ signal: abort.signal });
    const cancelled = expect(trying).rejects.toThrow(ExecutionCancelledError);
    await eventually(() => platform.count('GET projects') === ENOUGH + 1);
    abort.abort();

    await cancelled;
    await expect(session.getProjects()).rejects.toMatchObject({ reason: 'CIRCUIT_OPEN' });
  });

  it('does not affect logins while only other calls fail', async () => {
    await open();
    await fail();

    await expect(client.openSession().login()).resolves.toBeUndefined();
  });

  it.each<[string, ScriptedAnswer]>([
    ['by code 401 ERR009', errorAnswer(401, 'ERR009')],
    ['by code 500 ERR002', errorAnswer(500, 'ERR002')],
    ['by code 403 ERR014', errorAnswer(403, 'ERR014')],
    ['without a code, but not by a fault of its own', { status: 404, body: {} }],
    ['by an error page', { status: 500, headers: { 'content-type': 'text/html' }, body: '<p>Oops</p>' }],
  ])('stays closed when the platform rejects %s', async (_name, refusal) => {
    await open();
    answer = refusal;
    await outcomes(2 * ENOUGH);

    answer = good;
    await expect(session.getProjects()).resolves.toEqual([]);
    expect(changes).toEqual([]);
  });

  it('stays closed when few calls fail, or half of many calls succeed', async () => {
    await open();
    await fail(ENOUGH - 1);
    answer = good;
    for (let n = 0; n < ENOUGH; n += 1) await session.getProjects();
    answer = faulty;
    await fail(1);

    expect(changes).toEqual([]);
  });

  it.each<[string, ScriptedAnswer]>([
    ['too large', { status: 200, body: [{ id: 'a', name: 'x'.repeat(2000) }] }],
    ['not JSON', { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Sign on</p>' }],
    ['malformed', { status: 200, body: [{ id: 7 }] }],
  ])('stays closed when responses are %s', async (_name, response) => {
    await open({ maxResponseBytes: 1000 });
    answer = response;
    await fail(2 * ENOUGH);

    answer = good;
    await expect(session.getProjects()).resolves.toEqual([]);
    expect(changes).toEqual([]);
  });

  it('lets 50 users see no error beside one whose answers are too large', async () => {
    await open({ maxResponseBytes: 1000 });
    const large = 'x'.repeat(2000);
    answer = (request, response) => {
      const isLarge = request.headers['x-svc-authtoken'] === 'token-1';
      response.writeHead(200, { 'content-type': 'application/json' }).end(isLarge ? large : '[]');
    };
    const others = Array.from({ length: 50 }, () => client.openSession());
    await Promise.all(others.map((each) => each.login()));

    for (let round = 0; round < 3; round += 1) {
      const failures = fail(2 * ENOUGH, 1);
      await expect(Promise.all(others.map((each) => each.getProjects()))).resolves.toHaveLength(50);
      await failures;
    }

    expect(changes).toEqual([]);
  });

  it('stays closed when few sessions fail, however often', async () => {
    await open();
    await fail(4 * ENOUGH, 4);
    expect(changes).toEqual([]);

    await fail(1, 1);
    answer = good;
    await expect(Promise.all(sessions.slice(4).map((each) => each.getProjects()))).resolves.toHaveLength(6);
  });

  it('stays closed when the calls of half of the sessions fail, however many these are', async () => {
    await open();
    answer = good;
    await outcomes(PARTIES);
    answer = faulty;
    await fail(4 * ENOUGH, PARTIES / 2);

    expect(changes).toEqual([]);
  });

  it('does not stop a logout', async () => {
    await open();
    const refused: ScriptedAnswer = { status: 503, body: '' };
    const dead = await startScriptedPlatform({ '*': refused, 'POST auth/logout': { status: 204 } });
    const other = new PlatformClient({
      baseUrl: dead.baseUrl,
      circuitBreaker: true,
      onCircuitChange: (change) => changes.push(change),
    });
    const logIn = (nth: number): Promise<unknown> =>
      other
        .openSession()
        .login({ username: `user-${nth % PARTIES}`, password: 'p' })
        .catch((error: unknown) => error);
    await Promise.all(Array.from({ length: ENOUGH }, (_, nth) => logIn(nth)));
    expect(changes).toMatchObject([{ circuit: 'auth', isOpen: true }]);
    expect(await logIn(0)).toMatchObject({ reason: 'CIRCUIT_OPEN' });

    const snapshot = { ...session.toDict(), base_url: dead.baseUrl };
    await expect(other.restoreSession(snapshot).logout()).resolves.toBeUndefined();

    expect(dead.count('POST auth/logout')).toBe(1);
    await other.close();
  });

  it('is off by default', async () => {
    await open({ circuitBreaker: false });
    await fail(2 * ENOUGH);

    expect(platform.count('GET projects')).toBe(2 * ENOUGH);
  });

  it('keeps working when its observer throws', async () => {
    await open({
      onCircuitChange: () => {
        throw new Error('the observer fails');
      },
    });
    await fail();

    await expect(session.getProjects()).rejects.toMatchObject({ reason: 'CIRCUIT_OPEN' });
  });
});
