import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlatformClient, SessionError } from 'portico/client';
import { storeUnavailable } from '../../src/errors/service-error.js';
import { type OpenSession, parseAbout } from '../../src/session/open-sessions.js';
import { type SealedSessions } from '../../src/session/sealed-sessions.service.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { type SessionStore } from '../../src/session/store/session-store.js';
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
  });
  afterEach(async () => {
    await client.close();
    await store.close();
    await platform.close();
    await folder.remove();
  });

  const begin = async (of = one): Promise<OpenSession> => {
    const session = client.openSession();
    await session.login({ username: 'alice', password: 'password' });
    return of.create(session, { transport: 'bearer', network: '192.0.2.7' });
  };
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

  it('is not brought back by a change after its end', async () => {
    await other.end(await seenBy(other));
    change(open, 'late');
    expect(await one.save(open)).toBe(true);
    expect(await store.read(open.key)).toBeUndefined();
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
    await expect(over(others).end(open)).rejects.toMatchObject(UNAVAILABLE);
    expect(open.hasEnded).toBe(true);
  });
});
