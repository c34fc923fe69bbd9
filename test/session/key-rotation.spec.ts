import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlatformClient } from 'portico/client';
import { type NamedKey } from '../../src/config/key-list.js';
import { type SessionService } from '../../src/session/session.service.js';
import { beginSession, requestWith, serverKey, sessionService } from '../support/session/session-bench.js';
import { embeddedBench, type StoreBench } from '../support/session/store-bench.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';

const LIFE = { idleSeconds: 600, maxSeconds: 600 };
const OLD = serverKey('a');
const NEW = serverKey('b');
/** The values of `SESSION_KEYS` in the order of docs/operations.md. */
const [BEFORE, LAST, FIRST, ALONE] = [[OLD], [OLD, NEW], [NEW, OLD], [NEW]] as const;

describe('the keys, changed as the documentation says', () => {
  let bench: StoreBench;
  let platform: UserPlatform;
  let client: PlatformClient;
  beforeEach(async () => {
    bench = await embeddedBench(LIFE);
    platform = await startUserPlatform();
    client = new PlatformClient({ baseUrl: platform.baseUrl });
  });
  afterEach(async () => {
    await client.close();
    await bench.close();
    await platform.close();
  });

  const withKeys = (keys: readonly [NamedKey, ...NamedKey[]]): SessionService =>
    sessionService(bench.store, client, keys);
  const isOpen = (handle: string, service: SessionService): Promise<boolean> =>
    service.isOpen(requestWith(handle));
  const use = (handle: string, service: SessionService): Promise<unknown> =>
    service.read(requestWith(handle), 'getUserInfo', (session) => session.getUserInfo());

  it.each([
    ['the new key is put last', BEFORE, LAST],
    ['the new key is put first', LAST, FIRST],
    ['the old key is dropped', FIRST, ALONE],
  ])('leave every session open at each instance while %s', async (_step, before, after) => {
    const [one, other] = [withKeys(before), withKeys(after)];
    const handles = [await beginSession(one, client, 'alice'), await beginSession(other, client, 'bob')];
    for (const handle of handles) {
      for (const service of [one, other, one]) expect(await use(handle, service)).toBeDefined();
    }
  });

  it('would end sessions if the new key were put first at once', async () => {
    const handle = await beginSession(withKeys(FIRST), client, 'alice');
    expect(await isOpen(handle, withKeys(BEFORE))).toBe(false);
  });

  it('move a session at its next use, and close what the old key sealed when that key is removed', async () => {
    const used = await beginSession(withKeys(LAST), client, 'alice');
    const unused = await beginSession(withKeys(LAST), client, 'bob');
    await use(used, withKeys(FIRST));
    expect(await isOpen(used, withKeys(ALONE))).toBe(true);
    expect(await isOpen(unused, withKeys(ALONE))).toBe(false);
    expect(await isOpen(unused, withKeys(FIRST))).toBe(true);
  });

  it('leave nothing sealed by the old key after SESSION_MAX_SECONDS', async () => {
    const unused = await beginSession(withKeys(LAST), client, 'bob');
    await bench.advance(LIFE.maxSeconds * 1000);
    expect(await isOpen(unused, withKeys(FIRST))).toBe(false);
  });
});
