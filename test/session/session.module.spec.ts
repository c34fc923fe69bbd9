import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { PlatformClient } from 'portico/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Environment } from '../../src/config/environment.js';
import { parseSettings } from '../../src/config/parse-settings.js';
import { SettingsModule } from '../../src/config/settings.module.js';
import { Settings } from '../../src/config/settings.js';
import { Observation } from '../../src/logging/observation.js';
import { KnownSessions } from '../../src/session/handle.js';
import { RecordSeal } from '../../src/session/record-seal.js';
import { Relogin } from '../../src/session/session-runner.service.js';
import { SessionModule } from '../../src/session/session.module.js';
import {
  AuthPayloadSessionResolver,
  ExtendPayloadSessionResolver,
  SessionResolver,
} from '../../src/session/session.resolver.js';
import { ReadReuse, SessionService } from '../../src/session/session.service.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { LoginRecords, recordLoginsInProcess } from '../../src/session/store/login-records.js';
import { RedisSessionStore } from '../../src/session/store/redis-session-store.js';
import { SessionStore } from '../../src/session/store/session-store.js';
import { OwnStores } from '../../src/session/store/session-store.module.js';
import { StoreBackend } from '../../src/session/store/store-backend.js';
import { StoreHealth } from '../../src/session/store/store-health.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';
import { changedStore } from '../support/session/changed-store.js';
import { beginSession, requestWith } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';

const KEYS = `one:${randomBytes(32).toString('base64')}`;
const LIFE = { idleSeconds: 60, maxSeconds: 600 };

let folder: Awaited<ReturnType<typeof tempFolder>>;
let platform: UserPlatform;
let client: PlatformClient;
let observation: Observation;
let warnings: string[];
let app: TestingModule;
beforeEach(async () => {
  folder = await tempFolder();
  platform = await startUserPlatform();
  client = new PlatformClient({ baseUrl: platform.baseUrl });
  observation = new Observation();
  warnings = [];
});
afterEach(async () => {
  await app.close();
  vi.restoreAllMocks();
  await client.close();
  await platform.close();
  await folder.remove();
});

/** An application that has sessions and nothing else. */
async function start(own: OwnStores = {}, environment: Environment = {}): Promise<void> {
  const settings = { SESSION_STORE_PATH: `${folder.path}/sessions.db`, SESSION_KEYS: KEYS, ...environment };
  const providers = [
    { provide: Settings, useValue: parseSettings(settings) },
    { provide: OwnStores, useValue: own },
    { provide: Observation, useValue: observation },
    { provide: PlatformClient, useValue: client },
    { provide: Relogin, useValue: {} },
    KnownSessions,
  ];
  const exports = [Settings, OwnStores, Observation, PlatformClient, Relogin, KnownSessions];
  const surroundings = { module: SettingsModule, global: true, providers, exports };
  app = await Test.createTestingModule({ imports: [surroundings, SessionModule] }).compile();
  vi.spyOn(Logger.prototype, 'warn').mockImplementation((message) => warnings.push(String(message)));
  await app.init();
}

const ownStore = (): EmbeddedSessionStore => new EmbeddedSessionStore(`${folder.path}/own.db`, LIFE);

describe('the sessions of an application', () => {
  it.each<[keyof SessionStore, (store: SessionStore) => Promise<unknown>, unknown]>([
    ['create', (store) => store.create('new', 'sealed'), expect.any(Number)],
    ['read', (store) => store.read('key'), expect.objectContaining({ sealed: 'sealed' })],
    ['peek', (store) => store.peek('key'), expect.objectContaining({ sealed: 'sealed' })],
    ['replace', (store) => store.replace('key', 1, 'again'), true],
    ['remove', (store) => store.remove('key', 1), true],
    ['end', (store) => store.end('key', 'operator'), true],
    ['ofAccount', (store) => store.ofAccount('alice'), ['key']],
    ['lease', (store) => store.lease('key', 'holder', 1000), 'taken'],
    ['settle', (store) => store.settle('key', 'holder', 1000), false],
    ['ping', (store) => store.ping(), undefined],
    ['reach', (store) => store.reach(), undefined],
  ])('let an observer follow each %s of their store', async (operation, ask, answer) => {
    const sessions = ownStore();
    await sessions.create('key', 'sealed', 'alice');
    await start({ sessions });
    const steps: unknown[] = [];
    observation.add({
      step: (step, work) => {
        steps.push(step);
        return work();
      },
    });
    expect(await ask(app.get<SessionStore>(SessionStore))).toEqual(answer);
    expect(steps).toEqual([{ kind: 'session_store', operation }]);
  });

  it.each([[true], [undefined]])(
    'are those of other instances too if their store says so: %s',
    async (isShared) => {
      const sessions = ownStore();
      await start({ sessions: isShared === undefined ? sessions : changedStore(sessions, { isShared }) });
      expect(app.get<SessionStore>(SessionStore).isShared).toBe(isShared);
    },
  );

  it('are sealed by the keys of the settings, of which nothing is said', async () => {
    await start();
    expect(app.get(RecordSeal).isOld('2.one~')).toBe(true);
    expect(app.get(RecordSeal).seal('text', { handle: 'h', storeKey: 'k', version: 1 })).toMatch(/^2\.one~/);
    expect(warnings).toEqual([]);
  });

  it('are sealed by keys beside their store where the settings have none, with a warning', async () => {
    await start({}, { SESSION_KEYS: undefined });
    expect(app.get(RecordSeal).seal('text', { handle: 'h', storeKey: 'k', version: 1 })).toMatch(
      /^2\.local~/,
    );
    expect(warnings).toEqual([
      `SESSION_KEYS is not set: sessions are sealed with the keys in ${folder.path}/sessions.db.keys, which no other instance has`,
    ]);
  });

  it('reuse an answer for as long as the settings say, and as much as fits in memory', async () => {
    await start({}, { READ_REUSE_MS: '250' });
    expect(app.get(ReadReuse)).toEqual({ milliseconds: 250, mostCharacters: 33_554_432 });
  });

  it('are no longer kept open when the application has ended', async () => {
    const sessions = ownStore();
    await start({ sessions });
    await app.close();
    await expect(sessions.read('key')).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
  });

  it('are in the store that the settings name, whose faults are logged', async () => {
    await start();
    const { sessions, logins, health } = app.get<StoreBackend>(StoreBackend);
    expect(sessions).toBeInstanceOf(EmbeddedSessionStore);
    expect([app.get(LoginRecords), app.get(StoreHealth)]).toEqual([logins, health]);
    app.get(StoreHealth).report('the disk is nearly full');
    expect(warnings).toEqual(['the disk is nearly full']);
  });

  it('are in the store that the application brings, with the history of logins that it brings or one of their own', async () => {
    const sessions = ownStore();
    const logins = recordLoginsInProcess();
    await start({ sessions, logins });
    expect(app.get(StoreBackend)).toMatchObject({ sessions, logins });
    await app.close();
    await start({ sessions: ownStore() });
    expect(await app.get<LoginRecords>(LoginRecords).addLogin('one')).toMatchObject({ logins: 1 });
  });

  it('are where a client of Redis is connected that the application brings', async () => {
    const redis = new Redis(9, '127.0.0.1', { lazyConnect: true });
    await start({ redis });
    expect(app.get<StoreBackend>(StoreBackend).sessions).toBeInstanceOf(RedisSessionStore);
    redis.disconnect();
  });
});

describe('a caller who asks for the session', () => {
  let handle: string;
  beforeEach(async () => {
    await start();
    handle = await beginSession(app.get(SessionService), client, 'alice');
  });

  it('is told whether there is one', async () => {
    expect(await app.get(SessionResolver).hasSession(requestWith(handle))).toBe(true);
    expect(await app.get(SessionResolver).hasSession(requestWith())).toBe(false);
  });

  it.each([
    ['a query', SessionResolver],
    ['the answer to a login', AuthPayloadSessionResolver],
    ['the answer to an extension', ExtendPayloadSessionResolver],
  ])('is told by %s what is known about it, or nothing where there is none', async (_what, resolver) => {
    expect(await app.get(resolver).session(requestWith(handle))).toMatchObject({ transport: 'BEARER' });
    expect(await app.get(resolver).session(requestWith())).toBeNull();
  });

  it.each([
    ['a query', SessionResolver],
    ['the answer to a login', AuthPayloadSessionResolver],
  ])('is told by %s whose it is', async (_what, resolver) => {
    expect(await app.get(resolver).me(requestWith(handle))).toMatchObject({ id: 'alice' });
  });

  it.each([
    ['a query', SessionResolver],
    ['the answer to a login', AuthPayloadSessionResolver],
    ['the answer to an extension', ExtendPayloadSessionResolver],
  ])('is told by %s what the platform says of it', async (_what, resolver) => {
    expect(await app.get(resolver).sessionStatus(requestWith(handle))).toMatchObject({
      id: 'alice',
      timeoutSeconds: 1800,
    });
  });
});
