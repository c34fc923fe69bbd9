import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Votes } from '../../../src/client/connection/circuits.js';
import { manualClock, type ManualClock } from '../../support/manual-clock.js';

describe('the votes on a platform', () => {
  let clock: ManualClock;
  let votes: Votes;

  beforeEach(() => {
    clock = manualClock();
    vi.spyOn(Date, 'now').mockImplementation(clock.now);
    votes = new Votes();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const guests = (networks: number, isFault: boolean): void => {
    for (let n = 0; n < 40; n += 1) votes.cast([`network ${n % networks}`, 'guest', `session ${n}`], isFault);
  };
  const accounts = (count: number, isFault: boolean): void => {
    for (let n = 0; n < count; n += 1) votes.cast(['office', `account ${n}`, `session ${n}`], isFault);
  };

  it('count all guests of a network as one', () => {
    guests(4, true);
    expect(votes.mostFail).toBe(false);
    guests(5, true);
    expect(votes.mostFail).toBe(true);
  });

  it('count each account of an office', () => {
    accounts(5, true);
    expect(votes.mostFail).toBe(true);
    accounts(3, false);
    expect(votes.mostFail).toBe(false);
  });

  it('let guests of many networks not outvote the named accounts', () => {
    guests(40, true);
    expect(votes.mostFail).toBe(true);
    accounts(1, false);
    expect(votes.mostFail).toBe(false);
    accounts(1, true);
    expect(votes.mostFail).toBe(true);
  });

  it('count each session of a client that names no networks', () => {
    for (let n = 0; n < 5; n += 1) votes.cast([`session ${n}`], true);
    expect(votes.mostFail).toBe(true);
    votes.cast(['session 0'], false);
    expect(votes.mostFail).toBe(false);
  });

  it('of guests who see no fault count against those of named accounts who do', () => {
    accounts(5, true);
    expect(votes.mostFail).toBe(true);
    guests(10, false);
    expect(votes.mostFail).toBe(false);
  });

  it('count for less than ten seconds, from the last one of each voter', () => {
    accounts(4, true);
    clock.advance(10_000);
    votes.cast(['home', 'account'], true);
    expect(votes.mostFail).toBe(false);

    clock.advance(1000);
    accounts(4, true);
    clock.advance(8000);
    votes.cast(['home', 'account'], true);
    clock.advance(2500);
    votes.cast(['home', 'other'], true);
    expect(votes.mostFail).toBe(false);
    accounts(3, true);
    expect(votes.mostFail).toBe(true);
  });

  it('are at most 10,000, of which the oldest go first', () => {
    for (let n = 0; n < 5001; n += 1) votes.cast(['office', `good ${n}`], false);
    for (let n = 0; n < 5000; n += 1) votes.cast(['office', `bad ${n}`], true);
    expect(votes.mostFail).toBe(false);
    votes.cast(['office', 'bad too'], true);
    expect(votes.mostFail).toBe(true);
  });

  it('are forgotten after ten seconds', () => {
    accounts(1, false);
    guests(40, true);
    expect(votes.mostFail).toBe(false);
    clock.advance(9000);
    guests(40, true);
    clock.advance(2000);
    guests(40, true);
    expect(votes.mostFail).toBe(true);
  });
});
