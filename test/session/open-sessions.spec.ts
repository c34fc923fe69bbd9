import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PlatformClient, type PlatformSession } from 'portico/client';
import { type OpenSession, OpenSessions, parseAbout } from '../../src/session/open-sessions.js';
import { RecordSeal } from '../../src/session/record-seal.js';
import { type StoredRecord } from '../../src/session/store/session-store.js';
import { holdTimers } from '../../packages/portico/test/support/client/hold-timers.js';
import { gate } from '../../packages/portico/test/support/gate.js';
import { startUserPlatform } from '../support/embedded-platform/user-platform.js';
import { serverKey } from '../support/session/session-bench.js';

const BASE_URL = 'https://platform.test/api/';
const OLD = serverKey('a');
const NEW = serverKey('b');

type Cookies = Record<string, string>;

function learn(session: PlatformSession, cookies: Cookies): void {
  const { base_url, headers } = session.toDict();
  session.updateFromJson({ base_url, headers, cookies }, { isSameSession: true });
}

function cookiesOf({ session }: OpenSession): Cookies {
  return Object.fromEntries(session.toDict().cookies.map(({ name, value }) => [name, value]));
}

const record = ({ version, sealed }: OpenSession['stored']): StoredRecord => ({
  version,
  sealed,
  expiresAt: 1000,
});

describe('an open session', () => {
  let client: PlatformClient;
  let seal: RecordSeal;
  let one: OpenSessions;
  let other: OpenSessions;
  let open: OpenSession;
  let first: StoredRecord;
  beforeEach(() => {
    client = new PlatformClient({ baseUrl: BASE_URL });
    seal = new RecordSeal([NEW, OLD]);
    one = new OpenSessions(seal, client);
    other = new OpenSessions(new RecordSeal([NEW, OLD]), client);
    open = begin(one);
    one.keep(open);
    first = record(open.stored);
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await client.close();
  });

  const begin = (sessions: OpenSessions): OpenSession => {
    const session = client.openSession();
    learn(session, { node: '1' });
    return sessions.begin(session, { transport: 'cookie', profile: 'nightly' });
  };
  const take = (sessions: OpenSessions, found = first): OpenSession => {
    const taken = sessions.take(open.handle, open.key, found);
    if (taken === undefined) throw new Error('the record was not opened');
    return taken;
  };
  /** What another instance stores after a record that it has read. */
  const storedElsewhere = (cookies: Cookies, after = first): StoredRecord => {
    const theirs = take(other, after);
    learn(theirs.session, cookies);
    return record(other.version(theirs, after.version + 1));
  };

  it('begins with the first login of its profile', () => {
    expect(open.service).toEqual({ profile: 'nightly', logins: 1 });
  });

  it('is the same one for all requests until it is forgotten, with the key of its record', () => {
    const forget = vi.spyOn(seal, 'forget');
    expect(take(one)).toBe(open);
    one.forget(open.key);
    expect(take(one)).not.toBe(open);
    expect(forget).toHaveBeenCalledExactlyOnceWith(open.key);
  });

  it('is kept for twenty seconds after its last use', () => {
    holdTimers('setTimeout');
    const time = vi.spyOn(performance, 'now').mockReturnValue(100_000);
    const kept = begin(one);
    one.keep(kept);
    const takenAt = (milliseconds: number): OpenSession | undefined => {
      vi.advanceTimersByTime(10);
      time.mockReturnValue(100_000 + milliseconds);
      return one.take(kept.handle, kept.key, record(kept.stored));
    };
    expect(takenAt(19_000)).toBe(kept);
    expect(takenAt(38_000)).toBe(kept);
    expect(takenAt(58_100)).not.toBe(kept);
  });

  it('says beside its record that its handle is in a cookie', () => {
    expect(parseAbout(first.sealed)).toEqual({ transport: 'cookie', startedAt: open.startedAt, network: '' });
  });

  it('keeps what is newer than a record that was read before', () => {
    open.stored = one.version(open, 2);
    learn(open.session, { node: '2' });
    expect(one.update(open, first)).toBe(true);
    expect(open.stored.version).toBe(2);
    expect(cookiesOf(open)).toEqual({ node: '2' });
  });

  it('does not take other bytes for the version that it has stored', () => {
    expect(one.update(open, { ...first, sealed: first.sealed.replace(/(?<=^2\..{20})./, '!') })).toBe(false);
  });

  it('still waits for what became of a write when the store has the version before it', () => {
    open.unconfirmed = one.version(open, 2);
    expect(one.update(open, first)).toBe(true);
    expect(open.unconfirmed).toMatchObject({ version: 2 });
  });

  it('keeps what it has learned after a write whose answer was lost, and which the store has', () => {
    learn(open.session, { node: '2' });
    const sent = one.version(open, 2);
    open.unconfirmed = sent;
    learn(open.session, { node: '3' });
    expect(one.update(open, record(sent))).toBe(true);
    expect(cookiesOf(open)).toEqual({ node: '3' });
    expect(open.stored).toBe(sent);
    expect(open.unconfirmed).toBeUndefined();
  });

  it('takes the version of another instance instead of one whose answer was lost', () => {
    learn(open.session, { node: '1', own: '1' });
    open.unconfirmed = one.version(open, 2);
    expect(one.update(open, storedElsewhere({ node: '2' }))).toBe(true);
    expect(cookiesOf(open)).toEqual({ node: '2', own: '1' });
    expect(open.unconfirmed).toBeUndefined();
  });

  it('has nothing to store when another instance has stored all that it knows', () => {
    learn(open.session, { node: '2' });
    one.update(open, storedElsewhere({ node: '2' }));
    expect(open.session.revision).toBe(open.stored.revision);
  });

  it('takes nothing of an earlier login into a later one', () => {
    const theirs = take(other);
    const service = { profile: 'nightly', logins: 2 };
    learn(theirs.session, { node: '2' });
    const renewed = record(other.version({ ...theirs, service }, 2));
    learn(open.session, { node: '1', own: '1' });
    one.update(open, renewed);
    expect(cookiesOf(open)).toEqual({ node: '2' });
    expect(open.service).toEqual(service);
  });

  it('that an older key sealed takes the version of another instance', () => {
    open = begin(new OpenSessions(new RecordSeal([OLD]), client));
    const found = record(open.stored);
    open = take(one, found);
    one.update(open, storedElsewhere({ node: '2' }, found));
    expect(cookiesOf(open)).toEqual({ node: '2' });
  });

  it('still takes the cookie of an answer that was on its way while another instance stored', async () => {
    const platform = await startUserPlatform({ newCookieEachRead: true });
    const asked = gate();
    const mayAnswer = gate();
    platform.before('GET projects', async () => {
      asked.open();
      await mayAnswer.passed;
    });
    const real = new PlatformClient({ baseUrl: platform.baseUrl });
    [one, other] = [new OpenSessions(seal, real), new OpenSessions(seal, real)];
    const session = real.openSession();
    await session.login({ username: 'alice', password: 'password' });
    open = one.begin(session, { transport: 'bearer' });
    const reading = session.getProjects();
    await asked.passed;
    const theirs = storedElsewhere({ balancer: '1' }, record(open.stored));
    learn(session, { ...cookiesOf(open), own: '1' });
    one.update(open, theirs);
    mayAnswer.open();
    await reading;
    expect(Object.keys(cookiesOf(open)).sort()).toEqual(['balancer', 'node', 'own']);
    await real.close();
    await platform.close();
  });
});
