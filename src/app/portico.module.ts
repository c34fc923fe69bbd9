import { type DynamicModule, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { AuthModule } from '../auth/auth.module.js';
import { CredentialsModule } from '../auth/credentials.module.js';
import { type SettingOptions } from '../config/portico-options.js';
import { type AsyncOptions, GivenOptions, SettingsModule } from '../config/settings.module.js';
import { Settings } from '../config/settings.js';
import { Portico } from '../graphql/portico-graphql.service.js';
import { type Load } from '../load/limit-load.js';
import { Observation, type Observer } from '../logging/observation.js';
import { RequestScope } from '../logging/log-requests.js';
import { PlatformModule } from '../platform/platform.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { KnownSessions } from '../session/handle.js';
import { SessionModule } from '../session/session.module.js';
import { OwnStores } from '../session/store/session-store.module.js';
import { problemsInFiles } from './problems-in-files.js';

/** The options of {@link PorticoModule}: settings by topic, and parts that the application has made itself. */
export interface PorticoOptions extends SettingOptions {
  /** Stores of the application, instead of those that the options name. */
  readonly stores?: OwnStores;
  /** Told of logins, sessions and calls to the platform, for metrics or an audit log. */
  readonly observers?: readonly Observer[];
  /** What `limitLoad` made for the server of this application (Fastify only). */
  readonly load?: Pick<Load, 'sessions'>;
  /** Knows the request in which something happens, where `logRequests` runs (Fastify only). */
  readonly scope?: RequestScope;
}

/**
 * Portico inside a Nest application: its resolvers join the application's code-first schema, and `PlatformClient`,
 * `SessionService` and `CredentialProfiles` can be injected everywhere. The GraphQL module gets its context and its
 * plugins from `porticoContext` and `porticoPlugins`. See docs/nest.md.
 *
 * @example
 * ```ts
 * PorticoModule.forRoot({ platform: { baseUrl: 'https://analytics.example/api' }, sessions: { keys } })
 * ```
 */
@Module({
  imports: [PlatformModule, CredentialsModule, SessionModule, AuthModule, ProjectsModule],
  exports: [PlatformModule, CredentialsModule, SessionModule, AuthModule],
})
export class PorticoModule implements OnApplicationBootstrap {
  /**
   * @throws SettingsError at start, naming every option that cannot be used. `process.env` is not read, unless the
   *   options come from `fromEnvironment`.
   */
  static forRoot(options: PorticoOptions = {}): DynamicModule {
    return PorticoModule.forRootAsync({ useFactory: () => options });
  }

  /** Like {@link forRoot}, with options that are made from what the application injects. */
  static forRootAsync(options: AsyncOptions<PorticoOptions>): DynamicModule {
    return {
      module: PorticoModule,
      global: true,
      imports: [SettingsModule.with(options, problemsIn), PARTS],
    };
  }

  constructor(
    private readonly portico: Portico,
    private readonly modules: ModuleRef,
  ) {}

  onApplicationBootstrap(): void {
    this.portico.requireParts(this.#hasSchema());
  }

  #hasSchema(): boolean {
    try {
      this.modules.get(GraphQLSchemaHost, { strict: false });
      return true;
    } catch {
      return false;
    }
  }
}

/** What the modules need from the options besides settings. */
@Module({})
class PartsModule {}

const PARTS: DynamicModule = {
  module: PartsModule,
  global: true,
  providers: [
    {
      provide: RequestScope,
      inject: [GivenOptions],
      useFactory: ({ scope }: PorticoOptions) => scope ?? new RequestScope(),
    },
    {
      provide: Observation,
      inject: [GivenOptions],
      useFactory: ({ observers = [] }: PorticoOptions) => {
        const observation = new Observation();
        for (const observer of observers) observation.add(observer);
        return observation;
      },
    },
    {
      provide: KnownSessions,
      inject: [GivenOptions],
      useFactory: ({ load }: PorticoOptions) => load?.sessions ?? new KnownSessions(),
    },
    {
      provide: OwnStores,
      inject: [GivenOptions],
      useFactory: ({ stores = {} }: PorticoOptions) => stores,
    },
    Portico,
  ],
  exports: [RequestScope, Observation, KnownSessions, OwnStores, Portico],
};

/** The keys of a store elsewhere are not kept in a file beside the store. */
async function problemsIn(settings: Settings, { stores }: PorticoOptions): Promise<readonly string[]> {
  const isElsewhere = stores?.sessions !== undefined || stores?.redis !== undefined;
  const lacksKeys = isElsewhere && settings.SESSION_KEYS === undefined;
  return [
    ...(lacksKeys ? ['SESSION_KEYS is required with a store of the application'] : []),
    ...(await problemsInFiles(settings)),
  ];
}
