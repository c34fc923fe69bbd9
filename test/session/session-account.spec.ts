import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlatformClient } from 'portico/client';
import { type FoundSession, Observation } from '../../src/logging/observation.js';
import { storeKey } from '../../src/session/handle.js';
import { RefusedRecords } from '../../src/session/record-seal.js';
import { type SessionService } from '../../src/session/session.service.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { requestWith, serverKey, sessionService } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';

const KEYS = [serverKey('a')] as const;

describe('the account of a session', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: UserPlatform;
  let client: PlatformClient;
  let store: EmbeddedSessionStore;
  let found: FoundSession[];
  beforeEach(async () => {
    folder = await tempFolder();
    platform = await startUserPlatform();
    client = new PlatformClient({ baseUrl: platform.baseUrl });
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, { idleSeconds: 60, maxSeconds: 600 });
    found = [];
  });
  afterEach(async () => {
    await client.close();
    await store.close();
    await platform.close();
    await folder.remove();
  });

  const instance = (): SessionService => {
    const observation = new Observation();
    observation.add({ sessionFound: (session) => found.push(session) });
    return sessionService(store, client, KEYS, undefined, new RefusedRecords(), observation);
  };
  const begin = async (service: SessionService, account: string | undefined): Promise<string> => {
    const session = client.openSession();
    await session.login({ username: 'alice', password: 'password' });
    return (await service.create(requestWith(), session, { transport: 'bearer', account })).handle;
  };

  it.each(['an account', undefined])(
    'is reported with its session at the login and at each request, by every instance (%s)',
    async (account) => {
      const [one, two] = [instance(), instance()];
      const handle = await begin(one, account);
      expect(found).toEqual([{ storeKey: storeKey(handle), account }]);
      await one.isOpen(requestWith(handle));
      await two.use(requestWith(handle), (session) => session.extendSession());
      await two.known(requestWith(handle));
      expect(found).toEqual(Array(4).fill({ storeKey: storeKey(handle), account }));
    },
  );

  it('is not readable in the store', async () => {
    const handle = await begin(instance(), 'an account');
    const { sealed = '' } = (await store.read(storeKey(handle))) ?? {};
    expect(sealed).not.toContain('account');
    expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString()).not.toContain('account');
  });

  it('is not reported for a handle under which there is no session', async () => {
    await instance().isOpen(requestWith('A'.repeat(43)));
    expect(found).toEqual([]);
  });
});
