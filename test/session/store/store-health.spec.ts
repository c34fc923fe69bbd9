import { beforeEach, describe, expect, it } from 'vitest';
import { STORE_FAULTS, StoreHealth } from '../../../src/session/store/store-health.js';

describe('the health of a store', () => {
  let reports: string[];
  let health: StoreHealth;
  beforeEach(() => {
    reports = [];
    health = new StoreHealth((message) => reports.push(message));
  });

  it('is good at first: nothing has gone wrong', () => {
    expect([health.fault, health.reason, health.lastFault, health.isDegraded]).toEqual([
      undefined,
      undefined,
      undefined,
      false,
    ]);
    expect(STORE_FAULTS.map((fault) => health.count(fault))).toEqual(STORE_FAULTS.map(() => 0));
    new StoreHealth().fail('full', 'nobody listens');
  });

  it('is told and counted once when it fails again and again for one reason', () => {
    for (let failures = 0; failures < 3; failures += 1) health.fail('full', 'no space');
    expect(reports).toEqual([
      'The session store takes no writes, so logins fail and sessions go on: no space',
    ]);
    expect([health.count('full'), health.fault, health.reason, health.lastFault]).toEqual([
      1,
      'full',
      'no space',
      'full',
    ]);
  });

  it('is told for each reason, and counted for each fault', () => {
    health.fail('unreachable', 'no connection');
    health.fail('unreachable', 'no answer');
    health.fail('read_only', 'a replica');
    expect(reports).toEqual([
      'The session store cannot be used: no connection',
      'The session store cannot be used: no answer',
      'The session store takes no writes, so logins fail and sessions go on: a replica',
    ]);
    expect([health.count('unreachable'), health.count('read_only'), health.lastFault]).toEqual([
      1,
      1,
      'read_only',
    ]);
  });

  it.each(STORE_FAULTS)('is degraded, or gone if the store cannot be reached: %s', (fault) => {
    health.fail(fault, 'some reason');
    expect(health.isDegraded).toBe(fault !== 'unreachable');
  });

  it('is good again once that is known, which is told once', () => {
    health.recover();
    expect(reports).toEqual([]);
    health.fail('full', 'no space');
    reports.length = 0;
    health.recover();
    health.recover();
    expect(reports).toEqual(['The session store can be used again']);
    expect([health.fault, health.reason, health.lastFault]).toEqual([undefined, undefined, 'full']);
    health.fail('full', 'no space');
    expect(health.count('full')).toBe(2);
  });

  it('is good after a repair, which is told and counted, and counted once with the failure before it', () => {
    health.repaired('changed', 'it is sound');
    expect([health.fault, health.count('changed'), health.lastFault]).toEqual([undefined, 1, 'changed']);
    health.fail('missing', 'it is gone');
    health.repaired('missing', 'it is there');
    expect([health.fault, health.reason, health.count('missing')]).toEqual([undefined, undefined, 1]);
    expect(reports).toEqual([
      'it is sound',
      'The session store takes no writes, so logins fail and sessions go on: it is gone',
      'it is there',
    ]);
  });
});
