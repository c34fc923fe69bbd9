import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { PlatformClient } from 'portico/client';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import {
  errorAnswer,
  loginAnswer,
} from '../../packages/portico/test/support/embedded-platform/platform-answers.js';
import {
  type ScriptedAnswer,
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { Observation, type SessionEvent } from '../../src/logging/observation.js';
import { PlatformLogout } from '../../src/session/platform-logout.service.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});

describe('the logout of a platform session that fails', () => {
  let platform: ScriptedPlatform;
  let client: PlatformClient;
  let waiting: { run: () => void; delay: number }[];
  beforeEach(async () => {
    platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/logout': { status: 500, body: { code: 'ERR002' } },
    });
    client = new PlatformClient({ baseUrl: platform.baseUrl });
    waiting = [];
  });
  afterEach(async () => {
    await client.close();
  });

  const logouts = (): number => platform.count('POST auth/logout');

  /** Its timers run when the test says so. */
  function logoutWithTimers(): PlatformLogout {
    return new PlatformLogout(new Observation(), (run, delay) => {
      const timer = { run, delay };
      waiting.push(timer);
      return () => {
        waiting.splice(waiting.indexOf(timer), 1);
      };
    });
  }

  it('is tried four more times within a minute, and then no more', async () => {
    const session = client.openSession();
    await session.login();

    expect(await logoutWithTimers().end(session)).toBe(false);

    const delays: number[] = [];
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      const [next] = waiting.splice(0);
      delays.push(next?.delay ?? 0);
      next?.run();
      await eventually(() => {
        expect(logouts()).toBe(attempt);
        expect(waiting).toHaveLength(attempt === 5 ? 0 : 1);
      });
    }
    expect(delays.reduce((sum, delay) => sum + delay)).toBeLessThan(60_000);
  });

  it('is not tried again once the service stops', async () => {
    const logout = logoutWithTimers();
    const [waitingSession, lateSession] = [client.openSession(), client.openSession()];
    await waitingSession.login();
    await lateSession.login();
    await logout.end(waitingSession);
    expect(waiting).toHaveLength(1);

    logout.beforeApplicationShutdown();
    await logout.end(lateSession);

    expect(waiting).toEqual([]);
    expect(logouts()).toBe(2);
  });

  describe('is told to the operator', () => {
    let logged: string[];
    beforeEach(() => {
      logged = [];
      for (const level of ['log', 'warn'] as const)
        vi.spyOn(Logger.prototype, level).mockImplementation((message) => logged.push(String(message)));
    });
    afterEach(() => {
      vi.restoreAllMocks();
    });
    const TRIED_AGAIN = 'A platform session could not be logged out, which is tried again: ';
    const GIVEN_UP = 'A platform session is not logged out and ends when it times out: ';

    /** Logs out of a platform that answers so, one answer after the other, until nothing is left to try. */
    const logOut = async (...answers: ScriptedAnswer[]): Promise<SessionEvent[]> => {
      const events: SessionEvent[] = [];
      const observation = new Observation();
      observation.add({ sessionEvent: (event) => events.push(event) });
      const other = await startScriptedPlatform({
        'POST auth/login': loginAnswer(),
        'POST auth/logout': answers,
      });
      const session = new PlatformClient({ baseUrl: other.baseUrl }).openSession();
      await session.login();
      let next: (() => void) | undefined;
      const logout = new PlatformLogout(observation, (run) => {
        next = run;
        return () => undefined;
      });
      await logout.end(session, { kind: 'logout', storeKey: 'key' });
      for (let attempt = 2; next !== undefined; attempt += 1) {
        const run: () => void = next;
        next = undefined;
        run();
        const settled = logged.length;
        await eventually(() => other.count('POST auth/logout') === attempt);
        await eventually(() => next !== undefined || logged.length > settled);
      }
      return events;
    };

    it('when it fails first and when it is given up, with what the platform said', async () => {
      const failure = { status: 500, body: { code: 'ERR002', ticketId: 'T-7' } };
      const events = await logOut(failure);
      expect(logged).toEqual([
        expect.stringMatching(new RegExp(`^${TRIED_AGAIN}\\w+ \\(HTTP 500, ERR002, ticket T-7\\)$`)),
        expect.stringMatching(new RegExp(`^${GIVEN_UP}\\w+ \\(HTTP 500, ERR002, ticket T-7\\)$`)),
      ]);
      expect(events).toMatchObject([{ kind: 'logout', error: { code: 'ERR002' } }]);
    });

    it('when it succeeds at last, with the number of the attempt', async () => {
      const failure = { status: 503, body: 'down' };
      const events = await logOut(failure, failure, { status: 204 });
      expect(logged).toEqual([
        expect.stringMatching(new RegExp(`^${TRIED_AGAIN}\\w+ \\(HTTP 503\\)$`)),
        'A platform session was logged out by attempt 3',
      ]);
      expect(events.map(({ error }) => error === undefined)).toEqual([false, true]);
    });

    it('by the kind of the error alone where there was no answer', async () => {
      await logOut((_request, response) => {
        response.destroy();
      });
      expect(logged).toEqual(
        [TRIED_AGAIN, GIVEN_UP].map((text) => expect.stringMatching(new RegExp(`^${text}\\w+$`)) as unknown),
      );
    });

    it('not when it succeeds', async () => {
      expect(await logOut({ status: 204 })).toHaveLength(1);
      expect(logged).toEqual([]);
    });

    it('when the service stops while some are waiting, with how many, and only then', async () => {
      const logout = logoutWithTimers();
      logout.beforeApplicationShutdown();
      expect(logged).toEqual([]);
      const other = logoutWithTimers();
      for (let n = 0; n < 2; n += 1) {
        const session = client.openSession();
        await session.login();
        await other.end(session);
      }
      other.beforeApplicationShutdown();
      other.beforeApplicationShutdown();
      expect(logged.slice(2)).toEqual([
        'Platform sessions that are not logged out and end when they time out: 2',
      ]);
    });
  });

  it('is tried again by a timer, which ends with the service', async () => {
    const start = vi.spyOn(globalThis, 'setTimeout');
    const stop = vi.spyOn(globalThis, 'clearTimeout');
    const logout = new PlatformLogout(new Observation());
    const [one, two] = [client.openSession(), client.openSession()];
    for (const session of [one, two]) await session.login();
    const timerOf = (nth: number): number => start.mock.calls.findLastIndex(([, ms]) => ms === nth);
    await logout.end(one);
    (start.mock.calls[timerOf(250)]?.[0] as () => void)();
    await eventually(() => logouts() === 2);
    await eventually(() => timerOf(2000) >= 0);
    const timer: unknown = start.mock.results[timerOf(2000)]?.value;
    logout.beforeApplicationShutdown();
    expect(stop.mock.calls.map(([cleared]) => cleared as unknown)).toContain(timer);
    vi.restoreAllMocks();
  });

  it('keeps no more than a thousand sessions for another attempt', async () => {
    const logout = logoutWithTimers();
    const session = client.openSession();
    await session.login();

    await Promise.all(Array.from({ length: 1010 }, () => logout.end(session)));

    expect(waiting).toHaveLength(1000);
  });
});

describe('the logout of a platform session', () => {
  /** Logs a session out of a platform that answers so; reports how that ended. */
  async function logOut(answer: ScriptedAnswer): Promise<{
    hasEnded: boolean;
    reported: readonly SessionEvent[];
    logouts: number;
    attemptsLater: number;
  }> {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/logout': answer,
    });
    const client = new PlatformClient({ baseUrl: platform.baseUrl });
    const session = client.openSession();
    await session.login();
    const reported: SessionEvent[] = [];
    const observation = new Observation();
    observation.add({ sessionEvent: (event) => reported.push(event) });
    let attemptsLater = 0;
    const logout = new PlatformLogout(observation, () => {
      attemptsLater += 1;
      return () => undefined;
    });
    const hasEnded = await logout.end(session, { kind: 'logout', storeKey: 'key' });
    await client.close();
    return { hasEnded, reported, logouts: platform.count('POST auth/logout'), attemptsLater };
  }

  it.each<[string, ScriptedAnswer]>([
    ['204', { status: 204 }],
    ['that the session has expired', errorAnswer(401, 'ERR009', 'The session has expired')],
    ['that the session is unknown', errorAnswer(401, 'ERR003', 'Login failed')],
  ])('is done if the platform answers %s: it is not tried again', async (_what, answer) => {
    expect(await logOut(answer)).toEqual({
      hasEnded: true,
      reported: [{ kind: 'logout', storeKey: 'key', error: undefined }],
      logouts: 1,
      attemptsLater: 0,
    });
  });

  it('is reported as failed, and tried again, if the platform answers anything else', async () => {
    expect(await logOut(errorAnswer(500, 'ERR002'))).toMatchObject({
      hasEnded: false,
      reported: [{ kind: 'logout', error: { code: 'ERR002' } }],
      attemptsLater: 1,
    });
  });

  it('asks the platform nothing for a session that has not begun there', async () => {
    const platform = await startScriptedPlatform({});
    const client = new PlatformClient({ baseUrl: platform.baseUrl });

    expect(await new PlatformLogout(new Observation()).end(client.openSession())).toBe(true);

    expect(platform.requests).toEqual([]);
    await client.close();
  });
});
