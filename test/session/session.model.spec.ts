import { describe, expect, it } from 'vitest';
import { type KnownSession } from '../../src/session/request-context.js';
import { Session, SessionStatus, User } from '../../src/session/session.model.js';

const AT = Date.UTC(2026, 0, 5, 9);
const KNOWN: KnownSession = {
  at: AT,
  expiresAt: AT + 599_001,
  idleExpiresAt: AT + 59_000,
  platformUse: undefined,
  startedAt: AT - 1000,
  transport: 'bearer',
  profile: undefined,
};

describe('a session, as its caller sees it', () => {
  it('has the ends of its handle, as dates and in seconds from now, rounded up', () => {
    expect(Session.from(KNOWN, 600)).toEqual({
      expiresAt: new Date(AT + 599_001),
      idleExpiresAt: new Date(AT + 59_000),
      platformExpiresAt: undefined,
      expiresInSeconds: 600,
      idleExpiresInSeconds: 59,
      platformExpiresInSeconds: undefined,
      startedAt: new Date(AT - 1000),
      transport: 'BEARER',
      profile: undefined,
    });
  });

  it('has the end of the platform session once its time-out is known; no time is negative', () => {
    const platformUse = { at: AT - 30_000, timeoutMs: 29_000 };
    const known = { ...KNOWN, platformUse, transport: 'cookie', profile: 'nightly' } as const;
    expect(Session.from(known, 600)).toMatchObject({
      platformExpiresAt: new Date(AT - 1000),
      platformExpiresInSeconds: 0,
      transport: 'COOKIE',
      profile: 'nightly',
    });
  });

  it('has begun one life before its end if its record does not say when', () => {
    expect(Session.from({ ...KNOWN, startedAt: undefined }, 600).startedAt).toEqual(new Date(AT - 999));
  });
});

describe('what the platform says', () => {
  it('of a user is given by name, and whole', () => {
    const user = { id: 'alice', fullName: 'Alice', initials: 'A', more: 1 };
    expect(User.from(user)).toEqual({ id: 'alice', fullName: 'Alice', initials: 'A', raw: user });
  });

  it('of a session is given by name, and whole, and what is no Int is null', () => {
    const info = { id: 'alice', fullName: 'Alice', timeout: 1.5, locale: 1033, more: 1 };
    expect(SessionStatus.from(info)).toEqual({
      id: 'alice',
      fullName: 'Alice',
      timeoutSeconds: null,
      locale: 1033,
      raw: info,
    });
  });
});
