import { describe, expect, it } from 'vitest';
import { sessionLife, timeoutMs } from '../../../src/session/store/session-store.js';

describe('the time-out of a platform session', () => {
  it.each([
    [1800, 1_800_000],
    [0.5, 500],
    [31_536_000, 31_536_000_000],
  ])('of %d seconds is %d milliseconds', (seconds, milliseconds) => {
    expect(timeoutMs(seconds)).toBe(milliseconds);
  });

  it.each([0, -1, 31_536_001, NaN, Infinity, null, undefined, '1800'])(
    'is unknown if it is %s',
    (seconds) => {
      expect(timeoutMs(seconds as number)).toBeUndefined();
    },
  );
});

it('A session lives as long as the settings say', () => {
  expect(sessionLife({ SESSION_IDLE_SECONDS: 60, SESSION_MAX_SECONDS: 600 })).toEqual({
    idleSeconds: 60,
    maxSeconds: 600,
  });
});
