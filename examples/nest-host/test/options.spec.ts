import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Injectable, Module } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test, type TestingModule } from '@nestjs/testing';
import { GraphQLModule } from '@nestjs/graphql';
import { getMetadataStorage } from 'class-validator';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import {
  CredentialProfiles,
  fromEnvironment,
  PlatformClient,
  Portico,
  porticoContext,
  PorticoModule,
  type PorticoOptions,
  SessionService,
  Settings,
  SettingsError,
} from 'portico-service';
import { OPTIONS } from '../../../src/config/portico-options.js';
import { LoginSettings } from '../../../src/config/login-settings.js';
import { EmbeddedPlatformSettings, PlatformSettings } from '../../../src/config/platform-settings.js';
import { SessionSettings } from '../../../src/config/session-settings.js';
import { settingDescriptions } from '../../../src/config/setting.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { HostModule } from '../src/host.module.js';
import { MemoryStore } from '../src/memory-store.js';
import { KEYS, LIFE } from './start-shop.js';

const STORES = { sessions: new MemoryStore(LIFE) };

/** What the checks of the options say; empty if they pass. */
async function problemsOf(options: PorticoOptions): Promise<readonly string[]> {
  try {
    const testing = await Test.createTestingModule({ imports: [PorticoModule.forRoot(options)] }).compile();
    await testing.close();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

describe('the options of PorticoModule', () => {
  const before = { ...process.env };
  beforeEach(() => {
    process.env.PLATFORM_BASE_URL = 'http://127.0.0.1:1/environment';
  });
  afterEach(() => {
    process.env = { ...before };
  });

  const settingsFor = async (options: PorticoOptions): Promise<Settings> => {
    const testing = await Test.createTestingModule({
      imports: [PorticoModule.forRoot({ sessions: { keys: KEYS }, stores: STORES, ...options })],
    }).compile();
    const settings = testing.get(Settings);
    await testing.close();
    return settings;
  };

  it('are checked together by the checks of the settings, which name the options', async () => {
    expect(
      await problemsOf({
        platform: { baseUrl: 'ftp://platform', timeoutMs: 1 },
        sessions: { store: 'redis', cookieSite: 'none' },
        credentials: { file: '/no/such/file' },
        logins: { failuresPerMinute: 0 },
        identityTokens: { seconds: 0 },
        production: true,
      }),
    ).toEqual([
      'platform.baseUrl must be an http or https URL without user, query, or fragment',
      expect.stringMatching(/^platform\.timeoutMs must be a whole number from 10 to /),
      'sessions.redisUrl is required with sessions.store=redis',
      'sessions.keys is required in production',
      'sessions.cookieSite may be none only together with sessions.origins',
      'credentials.file must be the path of a readable file',
      expect.stringMatching(/^identityTokens\.seconds must be a whole number from 1 to /),
      expect.stringMatching(/^logins\.failuresPerMinute must be a whole number from 1 to /),
    ]);
  });

  it('name a setting where the environment gave it', async () => {
    process.env.PLATFORM_BASE_URL = 'ftp://platform';
    expect(await problemsOf({ ...fromEnvironment(), platform: { timeoutMs: 1 } })).toEqual([
      'PLATFORM_BASE_URL must be an http or https URL without user, query, or fragment',
      expect.stringMatching(/^platform\.timeoutMs /),
    ]);
  });

  it('stand for all settings of the platform, sessions, logins and credentials', () => {
    const names = Object.values(OPTIONS).flatMap((topic): string[] => Object.values(topic));
    const settings = [PlatformSettings, EmbeddedPlatformSettings, SessionSettings, LoginSettings].flatMap(
      (topic) => getMetadataStorage().getTargetValidationMetadatas(topic, '', true, false),
    );
    // What the environment says about proxies to all programs, `platform.proxyUrl` says to Portico alone.
    const listed = [...names, 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];
    const missing = new Set(
      settings.flatMap(({ propertyName }) => (listed.includes(propertyName) ? [] : [propertyName])),
    );
    expect([...missing], 'src/config/portico-options.ts has no line for them').toEqual([]);
    expect(names.filter((name) => !settingDescriptions().some((setting) => setting.name === name))).toEqual(
      [],
    );
  });

  it('that are misspelled are reported', async () => {
    const options = { platform: { baseURL: 'http://127.0.0.1:1' } } as PorticoOptions;
    expect(await problemsOf(options)).toEqual(['platform.baseURL is not an option']);
  });

  it('require keys with a store of the application: there is no file beside it', async () => {
    expect(await problemsOf({ stores: STORES })).toEqual([
      'sessions.keys is required with a store of the application',
    ]);
  });

  it('do not come from process.env unless they are asked for, and then options count first', async () => {
    expect((await settingsFor({})).PLATFORM_BASE_URL).toBeUndefined();
    expect((await settingsFor(fromEnvironment())).PLATFORM_BASE_URL).toBe('http://127.0.0.1:1/environment');
    const both = await settingsFor({
      ...fromEnvironment(),
      platform: { baseUrl: 'http://127.0.0.1:1/option' },
    });
    expect(both.PLATFORM_BASE_URL).toBe('http://127.0.0.1:1/option');
    expect(process.env.PLATFORM_BASE_URL).toBe('http://127.0.0.1:1/environment');
  });
});

/** What an application might keep its options in. */
@Injectable()
class ShopConfig {
  readonly platform = 'http://127.0.0.1:1/from-config';
}

@Module({ providers: [ShopConfig], exports: [ShopConfig] })
class ShopConfigModule {}

@Injectable()
class Dashboard {
  constructor(
    readonly client: PlatformClient,
    readonly sessions: SessionService,
  ) {}
}

describe('an application that mounts Portico', () => {
  let testing: TestingModule | undefined;
  afterEach(async () => {
    await testing?.close();
    testing = undefined;
  });

  it('makes options of what it injects, and injects the client, the sessions and the profiles everywhere', async () => {
    testing = await Test.createTestingModule({
      imports: [
        PorticoModule.forRootAsync({
          imports: [ShopConfigModule],
          inject: [ShopConfig],
          useFactory: ({ platform: baseUrl }: ShopConfig) => ({
            platform: { baseUrl },
            sessions: { keys: KEYS },
            stores: STORES,
          }),
        }),
      ],
      providers: [Dashboard],
    }).compile();
    const { client, sessions } = testing.get(Dashboard);
    expect(client.baseUrl).toBe('http://127.0.0.1:1/from-config/');
    expect(sessions).toBeInstanceOf(SessionService);
    // Without credentials.file there are none.
    expect(testing.get(CredentialProfiles, { strict: false })).toBeUndefined();
  });

  it('starts with the least that it needs', async () => {
    const folder = await tempFolder();
    testing = await Test.createTestingModule({ imports: [HostModule] })
      .overrideProvider(Settings)
      .useFactory({
        factory: () => Object.assign(new Settings(), { SESSION_STORE_PATH: `${folder.path}/sessions.db` }),
      })
      .compile();
    const app = testing.createNestApplication(new FastifyAdapter(), { logger: false });
    await app.init();
    await app.close();
    await folder.remove();
  });

  it.each([
    ['the context alone', true, 'plugins: porticoPlugins(portico)'],
    ['neither', false, 'context: porticoContext(portico) and plugins: porticoPlugins(portico)'],
  ])(
    'does not start with %s: nothing would set or protect the cookies of logins',
    async (_what, has, lacks) => {
      testing = await Test.createTestingModule({
        imports: [
          PorticoModule.forRoot({ sessions: { keys: KEYS }, stores: STORES }),
          GraphQLModule.forRootAsync<ApolloDriverConfig>({
            driver: ApolloDriver,
            inject: [Portico],
            useFactory: (portico: Portico) => ({
              autoSchemaFile: true,
              ...(has && { context: porticoContext(portico) }),
            }),
          }),
        ],
      }).compile();
      const app = testing.createNestApplication(new FastifyAdapter(), { logger: false });
      await expect(app.init()).rejects.toThrow(`The options of the GraphQL module lack ${lacks}`);
      await app.close();
    },
  );
});
