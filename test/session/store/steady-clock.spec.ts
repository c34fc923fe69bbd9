import { beforeEach, describe, expect, it } from 'vitest';
import { steadyClock } from '../../../src/session/store/steady-clock.js';

const HOUR = 3_600_000;
const START = 1_800_000_000_000;

describe('the clock of a store', () => {
  let machine: { wall: number; awake: number; boot: number };
  let now: () => number;
  beforeEach(() => {
    machine = { wall: START, awake: 1000, boot: 5000 };
    now = steadyClock(
      { Date: { now: () => machine.wall }, performance: { now: () => machine.awake } },
      () => machine.boot / 1000,
    );
  });
  const pass = (milliseconds: number): void => {
    machine.wall += milliseconds;
    machine.awake += milliseconds;
    machine.boot += milliseconds;
  };

  it('is that of the machine until that is set', () => {
    pass(HOUR);
    expect(now()).toBe(START + HOUR);
  });

  it.each([2 * HOUR, -2 * HOUR])(
    'goes on as before when that is set by %d ms, and when it is set back',
    (step) => {
      pass(1000);
      machine.wall += step;
      expect(now()).toBe(START + 1000);
      pass(1000);
      expect(now()).toBe(START + 2000);
      machine.wall -= step;
      pass(1000);
      expect(now()).toBe(START + 3000);
    },
  );

  it('follows a step of less than two seconds, and no longer one', () => {
    machine.wall += 1999;
    expect(now()).toBe(START + 1999);
    machine.wall += 2000;
    expect(now()).toBe(START + 1999);
  });

  it.each([1999, 2000])('does not take %d ms for a sleep: so much the clocks may differ', (milliseconds) => {
    machine.wall += HOUR;
    machine.boot += milliseconds;
    expect(now()).toBe(START);
  });

  it('follows a time service, which moves it little by little', () => {
    for (let n = 0; n < 100; n += 1) {
      pass(1000);
      machine.wall += 500;
      expect(now()).toBe(machine.wall);
    }
  });

  it('counts the time for which the machine slept, and each sleep once', () => {
    for (const sleeps of [1, 2, 3]) {
      machine.wall += HOUR;
      machine.boot += HOUR;
      expect(now()).toBe(START + sleeps * HOUR);
      expect(now()).toBe(START + sleeps * HOUR);
    }
    machine.wall += HOUR;
    expect(now()).toBe(START + 3 * HOUR);
    machine.wall += HOUR;
    machine.boot += HOUR;
    expect(now()).toBe(START + 4 * HOUR);
  });
});
