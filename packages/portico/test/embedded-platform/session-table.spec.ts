import { beforeEach, describe, expect, it } from 'vitest';

import { DEMO_ACCOUNT } from '../../src/embedded-platform/accounts.js';
import { IdentityTokens } from '../../src/embedded-platform/platform.js';
import { SessionTable } from '../../src/embedded-platform/session-table.js';
import { Refusal } from '../../src/embedded-platform/errors.js';
import { manualClock, type ManualClock } from '../support/manual-clock.js';

describe('what the embedded platform holds in memory', () => {
  let clock: ManualClock;
  let table: SessionTable;
  beforeEach(() => {
    clock = manualClock();
    table = new SessionTable({ now: clock.now, idleSeconds: 10, maxSessions: 3 });
  });

  it('removes sessions that have timed out, although nobody asks for them', () => {
    table.open(DEMO_ACCOUNT);
    table.open(DEMO_ACCOUNT);
    clock.advance(10_000);
    table.open(DEMO_ACCOUNT);

    expect(table.size).toBe(1);
  });

  it('keeps a session that was extended while sessions opened later time out', () => {
    const extended = table.open(DEMO_ACCOUNT);
    table.open(DEMO_ACCOUNT);
    clock.advance(9000);
    table.extend(extended);
    clock.advance(1000);
    table.open(DEMO_ACCOUNT);

    expect(table.size).toBe(2);
    expect(table.find(extended.token, [extended.cookie])).toBe(extended);
  });

  it('times out a short session on time although longer ones were opened before it', () => {
    table.open(DEMO_ACCOUNT);
    const short = table.open({ ...DEMO_ACCOUNT, idleSeconds: 1 });
    clock.advance(1000);

    expect(table.find(short.token, [short.cookie])).toBeUndefined();
  });

  it('never removes a session in use to make room for a new one', () => {
    const first = table.open(DEMO_ACCOUNT);
    table.open(DEMO_ACCOUNT);
    table.open(DEMO_ACCOUNT);

    expect(() => table.open(DEMO_ACCOUNT)).toThrow(Refusal);
    expect(table.find(first.token, [first.cookie])).toBe(first);
  });

  it('removes identity tokens that have expired', () => {
    const tokens = new IdentityTokens({ now: clock.now, maxTokens: 3 });
    const { iServerSession } = table.open(DEMO_ACCOUNT);
    tokens.create(iServerSession);
    clock.advance(59_000);
    tokens.create(iServerSession);
    clock.advance(1000);
    tokens.create(iServerSession);

    expect(tokens.size).toBe(2);
  });
});
