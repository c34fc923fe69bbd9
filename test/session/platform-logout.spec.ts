import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PlatformClient } from 'portico/client';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { Observation } from '../../src/logging/observation.js';
import { PlatformLogout } from '../../src/session/platform-logout.service.js';

describe('the logout of a platform session that fails', () => {
  let platform: ScriptedPlatform;
  let client: PlatformClient;
  let waiting: { run: () => void; delay: number }[];
  beforeAll(() => {
    Logger.overrideLogger(false);
  });
  afterAll(() => {
    Logger.overrideLogger(true);
  });
  beforeEach(async () => {
    platform = await startScriptedPlatform({
      'POST auth/login': { status: 204, headers: { 'X-SVC-AuthToken': 'abc' } },
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
