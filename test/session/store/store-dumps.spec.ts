import { readdir, readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Logger } from '@nestjs/common';
import { PlatformClient, SessionError } from 'portico/client';
import { EmbeddedSessionStore } from '../../../src/session/store/embedded-session-store.js';
import { newHandle, storeKey } from '../../../src/session/handle.js';
import { RecordSeal } from '../../../src/session/record-seal.js';
import { type SessionService } from '../../../src/session/session.service.js';
import { type SessionStore } from '../../../src/session/store/session-store.js';
import { createCanaries, type Canaries } from '../../../packages/portico/test/support/secrets/canaries.js';
import { requestWith, serverKey, sessionService } from '../../support/session/session-bench.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';
import { redisBench } from '../../support/session/store-bench.js';
import { tempFolder } from '../../support/temp-folder.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };
const KEYS = [serverKey('a')] as const;

describe('a dump of the session store', () => {
  let platform: UserPlatform;
  let client: PlatformClient;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    platform = await startUserPlatform({ newCookieEachRead: true });
    client = new PlatformClient({ baseUrl: platform.baseUrl });
  });
  afterAll(async () => {
    await client.close();
    await platform.close();
  });

  /** A session that was begun, used and so written twice; every secret of it is watched. */
  async function secretSession(
    service: SessionService,
    canaries: Canaries,
    username: string,
  ): Promise<string> {
    const password = canaries.plant('PW');
    const session = client.openSession();
    await session.login({ username, password });
    const { handle } = await service.create(requestWith(), session, { transport: 'bearer' });
    const used = await service.use(requestWith(handle), async (current) => {
      await current.getUserInfo();
      return current;
    });
    canaries.watch('HDL', handle);
    for (const { cookies, headers } of [session.toDict(), used.toDict()]) {
      for (const { value } of cookies) canaries.watch('CKV', value);
      for (const token of Object.values(headers)) canaries.watch('TOK', token);
    }
    return handle;
  }
  async function folderText(folder: string): Promise<string> {
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = files
      .filter((file) => file.isFile())
      .map((file) => readFile(`${file.parentPath}/${file.name}`, 'latin1'));
    return (await Promise.all(texts)).join('\n');
  }
  const me = (service: SessionService, handle: string): Promise<unknown> =>
    service.read(requestWith(handle), 'getUserInfo', (session) => session.getUserInfo());

  async function serverKeyAloneOpensNothing(store: SessionStore, handle: string): Promise<void> {
    const stored = await store.read(storeKey(handle));
    const seal = new RecordSeal(KEYS);
    const place = { storeKey: storeKey(handle), version: stored?.version ?? 0 };
    expect(seal.open(stored?.sealed ?? '', { ...place, handle })).toContain('snapshot');
    expect(seal.open(stored?.sealed ?? '', { ...place, handle: newHandle() })).toBeUndefined();
    expect(seal.open(stored?.sealed ?? '', { ...place, handle: place.storeKey })).toBeUndefined();
  }

  it('that is the embedded file holds no secret, and nothing that opens elsewhere', async () => {
    const folder = await tempFolder();
    const path = `${folder.path}/sessions.db`;
    const canaries = createCanaries();
    const store = new EmbeddedSessionStore(path, LIFE);
    const service = sessionService(store, client, KEYS);
    const alice = await secretSession(service, canaries, 'alice');
    const mallory = await secretSession(service, canaries, 'mallory');

    const dump = await folderText(folder.path);
    expect(dump).toContain(storeKey(alice));
    expect(canaries.findIn(dump)).toEqual([]);
    await serverKeyAloneOpensNothing(store, alice);
    await store.close();

    const database = new DatabaseSync(path);
    const sealedOfAlice = 'SELECT sealed FROM session WHERE key = ?';
    database
      .prepare(`UPDATE session SET sealed = (${sealedOfAlice}) WHERE key = ?`)
      .run(storeKey(alice), storeKey(mallory));
    database.close();
    const again = new EmbeddedSessionStore(path, LIFE);
    await expect(me(sessionService(again, client, KEYS), mallory)).rejects.toThrow(SessionError);
    expect(await me(sessionService(again, client, KEYS), alice)).toMatchObject({ id: 'alice' });
    await again.close();
    await folder.remove();
  });

  const suite = redisMissing === undefined ? describe : describe.skip;
  suite(`that is redis (${redisMissing ?? 'a redis-server that the test owns'})`, () => {
    let redis: RunningRedis;
    beforeAll(async () => (redis = await startRedis()));
    afterAll(() => redis.close());

    it('holds no secret, and nothing that opens elsewhere', async () => {
      const canaries = createCanaries();
      const bench = await redisBench(redis, LIFE);
      const service = sessionService(bench.store, client, KEYS);
      const alice = await secretSession(service, canaries, 'alice');
      const mallory = await secretSession(service, canaries, 'mallory');

      await redis.admin.save();
      const dump = await folderText(redis.folder);
      expect(dump).toContain(storeKey(alice));
      expect(canaries.findIn(dump)).toEqual([]);
      await serverKeyAloneOpensNothing(bench.store, alice);

      await redis.admin.copy(
        `portico:session:${storeKey(alice)}`,
        `portico:session:${storeKey(mallory)}`,
        'REPLACE',
      );
      await expect(me(service, mallory)).rejects.toThrow(SessionError);
      expect(await me(service, alice)).toMatchObject({ id: 'alice' });
      await bench.close();
    });

    it('that is put back after the logout opens a session that the platform has ended, and is then removed', async () => {
      const bench = await redisBench(redis, LIFE);
      const service = sessionService(bench.store, client, KEYS);
      const handle = await secretSession(service, createCanaries(), 'alice');
      const key = `portico:session:${storeKey(handle)}`;
      const dumped = (await redis.admin.get(key)) ?? '';
      await service.end(requestWith(handle));

      await redis.admin.set(key, dumped, 'PX', 60_000);
      await expect(me(service, handle)).rejects.toMatchObject({ code: 'ERR009' });
      expect(await redis.admin.exists(key)).toBe(0);
      await bench.close();
    });

    it('needs at most two kilobytes for a session', async () => {
      const bench = await redisBench(redis, LIFE);
      const service = sessionService(bench.store, client, KEYS);
      const session = client.openSession();
      await session.login({ username: 'alice', password: 'password' });
      const usedMemory = async (): Promise<number> =>
        Number(/^used_memory_dataset:(\d+)/m.exec(await redis.admin.info('memory'))?.[1]);
      const before = await usedMemory();
      const count = 2000;
      for (let n = 0; n < count; n += 1)
        await service.create(requestWith(), session, { transport: 'bearer' });
      const bytes = ((await usedMemory()) - before) / count;
      expect(bytes).toBeGreaterThan(300);
      expect(bytes).toBeLessThan(2048);
      await bench.close();
    });
  });
});
