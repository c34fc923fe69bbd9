import { beforeEach, describe, expect, it } from 'vitest';
import { LeaseTable } from '../../../src/session/store/lease-table.js';
import { manualClock, type ManualClock } from '../../../packages/portico/test/support/manual-clock.js';

describe('the leases of one process', () => {
  let clock: ManualClock;
  let leases: LeaseTable;
  beforeEach(() => {
    clock = manualClock();
    leases = new LeaseTable(clock.now);
  });

  it('run to the millisecond', () => {
    leases.lease('key', 'one', 3000);
    clock.advance(2999);
    expect(leases.lease('key', 'other', 3000)).toBe('held');
    clock.advance(1);
    expect(leases.lease('key', 'other', 3000)).toBe('taken');
  });

  it('are not kept when they are returned without the work done, and are when it is done', () => {
    leases.lease('key', 'one', 3000);
    leases.lease('other', 'one', 3000);
    leases.settle('key', 'one', 0);
    expect(leases.size).toBe(1);
    leases.settle('other', 'one', 1);
    expect(leases.size).toBe(1);
  });

  it('are removed when they have ended, as others are taken, but none that was extended', () => {
    for (const key of ['a', 'b', 'c']) leases.lease(key, 'one', 3000);
    clock.advance(2000);
    leases.lease('a', 'one', 3000);
    expect(leases.size).toBe(3);
    clock.advance(1000);
    leases.lease('d', 'one', 3000);
    expect(leases.size).toBe(2);
    expect(leases.lease('a', 'other', 3000)).toBe('held');
  });
});
