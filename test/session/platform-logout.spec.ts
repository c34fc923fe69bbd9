import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
