import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { PlatformClient } from 'portico/client';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { storeKey } from '../../src/session/handle.js';
import { keyMark } from '../../src/session/record-seal.js';
import { RefusedRecords } from '../../src/session/record-seal.js';
import { type SessionService } from '../../src/session/session.service.js';
import { beginSession, requestWith, serverKey, sessionService } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };
const KEY = serverKey('a');

describe('a record that does not open', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: UserPlatform;
  let client: PlatformClient;
  let store: EmbeddedSessionStore;
  let refused: RefusedRecords;
  let service: SessionService;
  let handle: string;
  let logged: string[];
  beforeEach(async () => {
    folder = await tempFolder();
    platform = await startUserPlatform();
    client = new PlatformClient({ baseUrl: platform.baseUrl });
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, LIFE);
    refused = new RefusedRecords();
    service = sessionService(store, client, [KEY], undefined, refused);
    handle = await beginSession(service, client, 'alice');
    logged = [];
    for (const level of ['warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation((message) => logged.push(String(message)));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await client.close();
    await store.close();
    await platform.close();
    await folder.remove();
  });

  const isOpen = (by = service): Promise<boolean> => by.isOpen(requestWith(handle));
  const sealedOf = async (of: string): Promise<string> => (await store.read(storeKey(of)))?.sealed ?? '';

  it.each([
    ['another session’s', async () => sealedOf(await beginSession(service, client, 'mallory'))],
    ['changed', async () => `${(await sealedOf(handle)).slice(0, -4)}AAAA`],
    ['cut off', () => Promise.resolve(`2.${keyMark(KEY)}.`)],
  ])('because it is %s is removed, and logged and counted once', async (_what, forged) => {
    await store.replace(storeKey(handle), 1, await forged());
    const answers = await Promise.all(Array.from({ length: 5 }, () => isOpen()));
    expect(answers).toEqual(Array(5).fill(false));
    expect(await isOpen()).toBe(false);
    expect(await store.read(storeKey(handle))).toBeUndefined();
    expect(refused.count('not_authentic')).toBe(1);
    expect(refused.count('unknown_key')).toBe(0);
    expect(logged).toEqual(['A stored session is not what this service stored there: it has been removed']);
  });

  it('because it does not have the version that it claims is removed', async () => {
    const first = await sealedOf(handle);
    await store.replace(storeKey(handle), 1, first);
    expect(await isOpen()).toBe(false);
    expect(await store.read(storeKey(handle))).toBeUndefined();
  });

  it('because its key is unknown stays, is counted each time and logged once, and opens when the key is back', async () => {
    const withoutKey = sessionService(store, client, [serverKey('b')], undefined, refused);
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await isOpen(withoutKey)).toBe(false);
    expect(refused.count('unknown_key')).toBe(3);
    expect(refused.count('not_authentic')).toBe(0);
    expect(logged).toEqual([
      'A stored session was sealed with a key that is not in SESSION_KEYS: it cannot be opened, and stays',
    ]);
    expect(await isOpen()).toBe(true);
  });

  it('because another host uses the id of its key for another key stays, for the host that has the key', async () => {
    const elsewhere = sessionService(store, client, [serverKey('a')], undefined, refused);
    expect(await isOpen(elsewhere)).toBe(false);
    expect(refused.count('unknown_key')).toBe(1);
    expect(refused.count('not_authentic')).toBe(0);
    expect(await isOpen()).toBe(true);
  });
});
