import { Logger } from '@nestjs/common';
import { LoginFailedError } from 'portico/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LoginLimits, LoginWatch } from '../../src/auth/login-limits.service.js';
import { type Account, loginSubject } from '../../src/auth/login-subject.js';
import { parseSettings } from '../../src/config/parse-settings.js';
import { recordLoginsInProcess } from '../../src/session/store/login-records.js';

const MINUTE = 60_000;
const present = new AbortController().signal;
const DEMO: Account = { kind: 'user', name: 'demo' };

const fail = (): Promise<never> => Promise.reject(new LoginFailedError('Login failed'));
const succeed = (): Promise<string> => Promise.resolve('in');

let warnings: string[];

beforeAll(() => {
  const log = (): void => undefined;
  Logger.overrideLogger({ log, error: log, warn: (text: string) => warnings.push(text) });
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(() => {
  warnings = [];
  vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Attempt = <T>(work: () => Promise<T>, account?: Account, network?: string) => Promise<T>;

/** The next login of the account waits for so long, and then gets in. */
async function expectToBegin(attempt: Attempt, milliseconds: number): Promise<void> {
  const work = vi.fn(succeed);
  const login = attempt(work, DEMO);
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(work).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await login).toBe('in');
}

function limited(environment: Record<string, string> = {}): { watch: LoginWatch; attempt: Attempt } {
  const settings = parseSettings({
    LOGIN_FAILURES_PER_MINUTE: '2',
    LOGIN_RATE_PER_ADDRESS: '0',
    ...environment,
  });
  const watch = new LoginWatch(settings);
  const limits = new LoginLimits(settings, recordLoginsInProcess(), watch);
  return {
    watch,
    attempt: (work, account, network = '192.0.2.1') =>
      limits.attempt(loginSubject({ requestId: 'request', network }, account), present, work),
  };
}

describe('a login of an account in a network', () => {
  it('is refused after as many failures there as are allowed, and counted as refused', async () => {
    const { attempt, watch } = limited();
    for (let n = 0; n < 2; n += 1) await expect(attempt(fail, DEMO)).rejects.toThrow(LoginFailedError);
    const work = vi.fn(succeed);

    await expect(attempt(work, DEMO)).rejects.toMatchObject({ reason: 'FAILED_LOGINS', retryAfter: 60 });

    expect(work).not.toHaveBeenCalled();
    expect(watch.refused('FAILED_LOGINS')).toBe(1);
    expect(watch.refused('LOGIN_RATE')).toBe(0);
  });

  it('is refused for them even where it has logged in before', async () => {
    const { attempt } = limited();
    expect(await attempt(succeed, DEMO)).toBe('in');
    for (let n = 0; n < 2; n += 1) await expect(attempt(fail, DEMO)).rejects.toThrow(LoginFailedError);

    await expect(attempt(succeed, DEMO)).rejects.toMatchObject({ reason: 'FAILED_LOGINS' });
  });

  it('is not refused for the failures of another account, or of its own in another network', async () => {
    const { attempt } = limited();
    for (let n = 0; n < 2; n += 1) await expect(attempt(fail, DEMO)).rejects.toThrow(LoginFailedError);

    expect(await attempt(succeed, { kind: 'user', name: 'other' })).toBe('in');
    expect(await attempt(succeed, DEMO, '198.51.100.1')).toBe('in');
  });

  it('is not refused because the platform could not be reached', async () => {
    const { attempt } = limited();
    const down = (): Promise<never> => Promise.reject(new Error('down'));
    for (let n = 0; n < 5; n += 1) await expect(attempt(down, DEMO)).rejects.toThrow('down');

    expect(await attempt(succeed, DEMO)).toBe('in');
  });

  it('waits two seconds once the account has failed five times as often in other networks', async () => {
    const { attempt } = limited();
    for (let n = 0; n < 10; n += 1) {
      await expect(attempt(fail, DEMO, `198.51.100.${n}`)).rejects.toThrow(LoginFailedError);
    }
    await expectToBegin(attempt, 2_000);
  });

  it('waits for a pause of a second once its network has failed five times as often', async () => {
    const { attempt } = limited();
    for (let n = 0; n < 10; n += 1) await expect(attempt(fail)).rejects.toThrow(LoginFailedError);
    await expectToBegin(attempt, 1_000);
  });
});

describe('the logins of a network', () => {
  it('are refused beyond LOGIN_RATE_PER_ADDRESS in a minute, successful ones included', async () => {
    const { attempt, watch } = limited({ LOGIN_RATE_PER_ADDRESS: '2' });
    for (let n = 0; n < 2; n += 1) expect(await attempt(succeed, DEMO)).toBe('in');

    await expect(attempt(succeed, DEMO)).rejects.toMatchObject({ reason: 'LOGIN_RATE', retryAfter: 60 });
    expect(watch.refused('LOGIN_RATE')).toBe(1);
    expect(await attempt(succeed, DEMO, '198.51.100.1')).toBe('in');

    vi.advanceTimersByTime(MINUTE);
    expect(await attempt(succeed, DEMO)).toBe('in');
  });
});

describe('a flood of failed logins', () => {
  /** As many failures at once as make a flood. */
  const flood = (watch: LoginWatch, failures = 200): void => {
    for (let n = 0; n < failures; n += 1) watch.addFailure();
  };

  it('is a hundred times as many within a minute as are allowed, of any accounts', () => {
    const { watch } = limited();
    flood(watch, 199);
    expect(watch.floodCount).toBe(0);
    flood(watch, 1);
    expect(watch.floodCount).toBe(1);
  });

  it('is none if the failures are spread over two minutes', () => {
    const { watch } = limited();
    flood(watch, 199);
    vi.advanceTimersByTime(MINUTE);
    flood(watch, 199);
    expect(watch.floodCount).toBe(0);
  });

  it('counts once, and is reported once, while it goes on from minute to minute', () => {
    const { watch } = limited();
    for (let minute = 0; minute < 5; minute += 1) {
      flood(watch, 1000);
      vi.advanceTimersByTime(MINUTE);
    }
    expect(watch.floodCount).toBe(1);
    expect(warnings).toEqual([expect.stringContaining('200 logins failed within a minute')]);
  });

  it('is another one after a minute without it', () => {
    const { watch } = limited();
    flood(watch);
    vi.advanceTimersByTime(2 * MINUTE - 1);
    flood(watch);
    expect(watch.floodCount).toBe(1);
    vi.advanceTimersByTime(2 * MINUTE);
    flood(watch);
    expect(watch.floodCount).toBe(2);
  });

  it('is made by logins that the platform refuses, and by no others', async () => {
    const { attempt, watch } = limited({ LOGIN_FAILURES_PER_MINUTE: '1' });
    for (let n = 0; n < 99; n += 1) await attempt(fail, undefined, `198.51.100.${n}`).catch(() => undefined);
    await attempt(() => Promise.reject(new Error('down'))).catch(() => undefined);
    await attempt(succeed);
    expect(watch.floodCount).toBe(0);
    await attempt(fail).catch(() => undefined);
    expect(watch.floodCount).toBe(1);
  });
});
