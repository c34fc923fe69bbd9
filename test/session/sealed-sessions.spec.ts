import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { PlatformClient, type PlatformSession, SessionError } from 'portico/client';
import { storeUnavailable } from '../../src/errors/service-error.js';
import { type OpenSession, parseAbout } from '../../src/session/open-sessions.js';
import { type SealedSessions } from '../../src/session/sealed-sessions.service.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { type SessionStore, type StoredRecord } from '../../src/session/store/session-store.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';
import { changedStore } from '../support/session/changed-store.js';
import { sealedSessions, serverKey } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';

const KEYS = [serverKey('a')] as const;
const UNAVAILABLE = { code: 'SESSION_STORE_UNAVAILABLE' };

describe('a stored session', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: UserPlatform;
  let client: PlatformClient;
  let store: EmbeddedSessionStore;
  let one: SealedSessions;
  let other: SealedSessions;
  let open: OpenSession;
  beforeEach(async () => {
    folder = await tempFolder();
    platform = await startUserPlatform();
    client = new PlatformClient({ baseUrl: platform.baseUrl });
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, { idleSeconds: 60, maxSeconds: 600 });
    [one, other] = [sealedSessions(store, client, KEYS), sealedSessions(store, client, KEYS)];
    open = await begin();
    // Records that do not open are logged.
    for (const level of ['warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockReturnValue(undefined);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await client.close();
    await store.close();
    await platform.close();
    await folder.remove();
  });

  const logIn = async (): Promise<PlatformSession> => {
    const session = client.openSession();
    await session.login({ username: 'alice', password: 'password' });
    return session;
  };
  const begin = async (of = one): Promise<OpenSession> =>
    of.create(await logIn(), { transport: 'bearer', network: '192.0.2.7' });
  const seenBy = async (sealed: SealedSessions): Promise<OpenSession> =>
    (await sealed.load({ handle: open.handle, transport: 'bearer' })).open;
  const change = ({ session }: OpenSession, name: string): void => {
    const { cookies, ...rest } = session.toDict();
    const [first] = cookies;
    if (first === undefined) throw new Error('there is no cookie');
    session.updateFromJson({ ...rest, cookies: [...cookies, { ...first, name }] }, { isSameSession: true });
  };
  const cookiesOf = ({ session }: OpenSession): string[] => session.toDict().cookies.map(({ name }) => name);
  /** What is in the store, as an instance opens it that has seen nothing before. */
  const stored = async (): Promise<string[]> => cookiesOf(await seenBy(sealedSessions(store, client, KEYS)));
  const over = (others: Partial<SessionStore>): SealedSessions =>
    sealedSessions(changedStore(store, others), client, KEYS);

  it('is written when it has changed, and only then', async () => {
    expect(await one.save(open)).toBe(false);
    change(open, 'new');
    expect(await one.save(open)).toBe(true);
    expect(await one.save(open)).toBe(false);
    expect(await store.read(open.key)).toMatchObject({ version: 2 });
    expect(await stored()).toEqual(['JSESSIONID', 'new']);
  });

  it('has what both of two instances have changed', async () => {
    const theirs = await seenBy(other);
    change(theirs, 'theirs');
    change(open, 'ours');
    await other.save(theirs);
    expect(await one.save(open)).toBe(true);
    expect((await stored()).sort()).toEqual(['JSESSIONID', 'ours', 'theirs']);
    expect(await store.read(open.key)).toMatchObject({ version: 3 });
  });

  it('is not written when an answer has brought what it had', async () => {
    open.session.updateFromJson(open.session.json(), { isSameSession: true });
    expect(await one.save(open)).toBe(false);
    expect(await store.read(open.key)).toMatchObject({ version: 1 });
    change(open, 'new');
    expect(await one.save(open)).toBe(true);
    expect(await store.read(open.key)).toMatchObject({ version: 2 });
  });

  it('is not brought back by a change after its end, which is written no second time', async () => {
    let writes = 0;
    const late = over({
      replace: (...of) => {
        writes += 1;
        return store.replace(...of);
      },
    });
    await other.end(await seenBy(other));
    change(open, 'late');
    expect(await late.save(open)).toBe(true);
    expect(await store.read(open.key)).toBeUndefined();
    expect(writes).toBe(1);
  });

  it('has the new login that has replaced its own', async () => {
    const service = { profile: 'nightly', logins: 2 };
    expect(await one.replaceLogin(open, await logIn(), service)).toBe(true);
    expect(open).toMatchObject({ service, stored: { version: 2 } });
    expect(await one.replaceLogin(await seenBy(other), await logIn(), service)).toBe(true);
    expect(await one.replaceLogin(open, await logIn(), service)).toBe(false);
    expect(open.stored.version).toBe(2);
  });

  it.each<[string, (by: SealedSessions, ours: OpenSession) => Promise<unknown>]>([
    [
      'a change',
      (by, ours) => {
        change(ours, 'ours');
        return by.save(ours);
      },
    ],
    [
      'a new login',
      async (by, ours) => by.replaceLogin(ours, await logIn(), { profile: 'nightly', logins: 2 }),
    ],
  ])('stays at a later version that is read before the answer to %s', async (_what, write) => {
    const overtaken = over({
      replace: async (...of) => {
        const isReplaced = await store.replace(...of);
        const theirs = await seenBy(other);
        change(theirs, 'theirs');
        await other.save(theirs);
        await seenBy(overtaken);
        return isReplaced;
      },
    });
    const ours = await seenBy(overtaken);
    await write(overtaken, ours);
    expect(ours.stored.version).toBe(3);
  });

  it('is gone when something else is found in its place, which is removed', async () => {
    await store.replace(open.key, 1, open.stored.sealed);
    await expect(one.refresh(open)).rejects.toThrow(SessionError);
    expect(await store.read(open.key)).toBeUndefined();
  });

  it.each<[string, () => Promise<StoredRecord | undefined>]>([
    ['not there', () => Promise.resolve(undefined)],
    ['not to be opened', () => Promise.resolve({ version: 2, sealed: '2.unknown.', expiresAt: 0 })],
  ])('is opened anew after a moment in which it was %s', async (_what, momentary) => {
    let read: SessionStore['read'] = (key) => store.read(key);
    const sealed = over({ read: (key) => read(key) });
    const before = await seenBy(sealed);
    read = momentary;
    await expect(seenBy(sealed)).rejects.toThrow(SessionError);
    read = (key) => store.read(key);
    expect(await seenBy(sealed)).not.toBe(before);
  });

  it('is not known to be stored when the store fails after a write of another', async () => {
    const failing = over({
      replace: () => Promise.resolve(false),
      read: () => Promise.reject(storeUnavailable('down')),
    });
    change(open, 'new');
    await expect(failing.save(open)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('is written ten times at most where each write comes too late', async () => {
    let writes = 0;
    const late = over({
      replace: () => {
        writes += 1;
        return Promise.resolve(false);
      },
    });
    change(open, 'new');
    expect(await late.save(open)).toBe(true);
    expect(writes).toBe(10);
  });

  it('is written again as it was when the answer of the store was lost, so that it counts once', async () => {
    const sent: string[] = [];
    const losing = over({
      replace: async (key, version, sealed) => {
        sent.push(sealed);
        const isReplaced = await store.replace(key, version, sealed);
        if (sent.length === 1) throw storeUnavailable('it does not answer in time');
        return isReplaced;
      },
    });
    change(open, 'new');
    await expect(losing.save(open)).rejects.toMatchObject(UNAVAILABLE);
    expect(await losing.save(open)).toBe(true);
    expect(sent).toEqual([sent[0], sent[0]]);
    expect(await store.read(open.key)).toMatchObject({ version: 2 });
  });

  it('opens only by the transport that it began with', async () => {
    await expect(one.load({ handle: open.handle, transport: 'cookie' })).rejects.toThrow(SessionError);
    await expect(one.load(undefined)).rejects.toThrow('There is no session: log in first');
  });

  it('is open once in each process', async () => {
    expect(await seenBy(one)).toBe(open);
    const theirs = await seenBy(other);
    expect(theirs).not.toBe(open);
    expect(await seenBy(other)).toBe(theirs);
    expect(theirs).toMatchObject({ expiresAt: open.expiresAt, about: open.about, startedAt: open.startedAt });
    expect(parseAbout((await store.read(open.key))?.sealed ?? '')).toEqual({
      transport: 'bearer',
      startedAt: open.startedAt,
      network: '192.0.2.7',
    });
  });

  describe('that the platform has rejected', () => {
    it.each([
      ['by itself', true, undefined],
      ['by others, to whom it does not matter', false, true],
    ] as const)('is looked at once where it can only be replaced %s', async (_who, mayWait, isShared) => {
      let reads = 0;
      const read = (key: string): ReturnType<SessionStore['read']> => {
        reads += 1;
        return store.read(key);
      };
      const sealed = over({ read, ...(isShared && { isShared }) });
      expect(await sealed.isReplaced(open, 1, mayWait)).toBe(false);
      expect(reads).toBe(1);
    });

    it('is replaced if another instance has stored another version, and not if it is gone', async () => {
      const theirs = await seenBy(other);
      change(theirs, 'theirs');
      await other.save(theirs);
      expect(await one.isReplaced(open, 1, false)).toBe(true);
      expect(await one.isReplaced(open, 1, false)).toBe(true);
      await other.end(theirs);
      expect(await one.isReplaced(open, 2, false)).toBe(false);
    });

    it('is known to be replaced without a look when a later version is here', async () => {
      const failing = over({ read: () => Promise.reject(storeUnavailable('down')) });
      change(open, 'new');
      await one.save(open);
      expect(await failing.isReplaced(open, 1, false)).toBe(true);
    });

    it('is not said to be gone when the store fails', async () => {
      const failing = over({ read: () => Promise.reject(storeUnavailable('down')) });
      await expect(failing.isReplaced(open, 1, false)).rejects.toMatchObject(UNAVAILABLE);
    });

    it('ends, and its reason is known for a while', async () => {
      const reason = new SessionError('The session has expired', { code: 'ERR009' });
      const presented = { handle: open.handle, transport: 'bearer' } as const;
      expect(one.expiredLately(presented)).toBeUndefined();
      expect(one.expiredLately(undefined)).toBeUndefined();
      expect(await one.expire(open, 1, reason)).toBe(true);
      expect(open.hasEnded).toBe(true);
      expect(one.expiredLately(presented)).toBe(reason);
    });

    it('does not end when another version is stored, and is not said to have expired', async () => {
      const theirs = await seenBy(other);
      change(theirs, 'theirs');
      await other.save(theirs);
      expect(await one.expire(open, 1, new SessionError('The session has expired'))).toBe(false);
      expect(open.hasEnded).toBe(false);
      expect(one.expiredLately({ handle: open.handle, transport: 'bearer' })).toBeUndefined();
    });

    it('has ended when another instance has removed it', async () => {
      await other.end(await seenBy(other));
      expect(await one.expire(open, 1, new Error('401'))).toBe(false);
      expect(open.hasEnded).toBe(true);
      expect(one.expiredLately({ handle: open.handle, transport: 'bearer' })).toBeUndefined();
    });
  });

  it('that another instance has ended is ended by its caller all the same', async () => {
    await other.end(await seenBy(other));
    await one.end(open);
    expect(open.hasEnded).toBe(true);
  });

  it.each<[string, Partial<SessionStore>]>([
    ['removed', { remove: () => Promise.reject(storeUnavailable('down')) }],
    [
      'read again',
      { remove: () => Promise.resolve(false), read: () => Promise.reject(storeUnavailable('down')) },
    ],
  ])('is an error to its caller, and is not used here again, when it cannot be %s', async (_what, others) => {
    const sealed = over(others);
    const presented = { handle: open.handle, transport: 'bearer' } as const;
    const { open: ending } = await sealed.look(presented);
    await expect(sealed.end(ending)).rejects.toMatchObject(UNAVAILABLE);
    expect(ending.hasEnded).toBe(true);
    expect((await sealed.look(presented)).open).not.toBe(ending);
  });

  it('is ended by its caller although it is written each time before it can be removed', async () => {
    const removals: (number | undefined)[] = [];
    const busy = over({
      remove: (key, version) => {
        removals.push(version);
        return version === undefined ? store.remove(key) : Promise.resolve(false);
      },
    });
    await busy.end(await seenBy(busy));
    expect(removals).toEqual([1, 1, 1, 1, 1, undefined]);
    expect(await store.read(open.key)).toBeUndefined();
  });
});
