import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
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
import { errorAnswer, loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
  type ScriptedPlatform,
} from '../../support/embedded-platform/scripted-platform.js';

/** Calls in ten seconds below which nothing is judged. */
const ENOUGH = 50;

describe('the circuit of a client', () => {
  let clock: ManualClock;
  let platform: ScriptedPlatform;
  let client: PlatformClient;
  let session: PlatformSession;
  let answer: ScriptedAnswer;
  let changes: CircuitChange[];

  const faulty: ScriptedAnswer = {
    status: 500,
    headers: { 'content-type': 'text/html' },
    body: '<p>Oops</p>',
  };
  const good: ScriptedAnswer = { status: 200, body: [] };
  const open = async (options: Partial<PlatformClientOptions> = {}): Promise<void> => {
    client = new PlatformClient({
      baseUrl: platform.baseUrl,
      circuitBreaker: true,
      onCircuitChange: (change) => changes.push(change),
      ...options,
    });
    session = client.openSession();
    await session.login();
  };
  const fail = async (times = ENOUGH): Promise<void> => {
    const calls = Array.from({ length: times }, () => session.getProjects().catch((error: unknown) => error));
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(PlatformHttpError);
  };

  beforeEach(async () => {
    clock = manualClock();
    jest.spyOn(Date, 'now').mockImplementation(clock.now);
    answer = faulty;
    changes = [];
    platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': (request, response) => {
        if (typeof answer === 'function') return answer(request, response);
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
      },
    });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
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
    expect(changes).toEqual([{ circuit: 'data', isOpen: true }]);
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
      { circuit: 'data', isOpen: true },
      { circuit: 'data', isOpen: false },
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
  ])('stays closed when the platform rejects %s', async (_name, refusal) => {
    await open();
    answer = refusal;
    await Promise.all(
      Array.from({ length: 2 * ENOUGH }, () => session.getProjects().catch((error: unknown) => error)),
    );

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
