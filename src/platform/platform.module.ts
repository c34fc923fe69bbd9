import { Global, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type CircuitChange, PlatformClient } from 'portico/client';
import { Settings } from '../config/settings.js';
import { Observation } from '../logging/observation.js';
import { SessionStoreModule } from '../session/store/session-store.module.js';
import { StoreBackend } from '../session/store/store-backend.js';
import { platformClient, reportCookieOnce } from './platform-client.factory.js';
import { PlatformProbe } from './platform-probe.service.js';

/** The platform that runs here if none is configured. */
export interface RunningPlatform {
  readonly baseUrl: string;
  /** Who may log in to it. */
  readonly demoLogins: {
    readonly password: string;
    readonly apiKey: string;
    readonly users: readonly { readonly username: string; readonly shows: string }[];
  };
  close(): Promise<void>;
}

/** The injection token of the embedded platform; undefined if a real one is configured. */
export const EmbeddedPlatform = Symbol('EmbeddedPlatform');

/** The platform and the one client for it. The embedded platform's code is loaded only when it runs. */
@Global()
@Module({
  imports: [SessionStoreModule],
  providers: [
    {
      provide: EmbeddedPlatform,
      inject: [Settings],
      useFactory: async (settings: Settings): Promise<RunningPlatform | undefined> => {
        if (!settings.runsEmbeddedPlatform) return undefined;
        const { DEMO_LOGINS, startEmbeddedPlatform } = await import('portico/embedded-platform');
        const platform = await startEmbeddedPlatform({
          port: settings.EMBEDDED_PLATFORM_PORT,
          path: settings.EMBEDDED_PLATFORM_PATH,
          vendor: settings.PLATFORM_HEADER_VENDOR,
          idleSeconds: settings.EMBEDDED_PLATFORM_IDLE_SECONDS,
        });
        return { ...platform, demoLogins: DEMO_LOGINS };
      },
    },
    {
      provide: PlatformClient,
      inject: [Settings, EmbeddedPlatform, Observation, StoreBackend],
      useFactory: (
        settings: Settings,
        embedded: RunningPlatform | undefined,
        observation: Observation,
        { sessions }: StoreBackend,
      ) =>
        platformClient(settings, settings.PLATFORM_BASE_URL ?? embedded?.baseUrl ?? '', {
          // So that all instances agree on the age of a cookie.
          now: sessions.now.bind(sessions),
          onCircuitChange: (change) => {
            logCircuit(change);
            // After the pause a single call tests the platform, and may take this long.
            const { openMs, isOpen } = change;
            observation.tell('circuitChange', {
              ...change,
              openMs: isOpen ? openMs + settings.PLATFORM_TIMEOUT_MS : 0,
            });
          },
          observeCall: observation.platformCall.bind(observation),
          onUnusableCookie: reportCookieOnce(logger),
        }),
    },
    PlatformProbe,
  ],
  exports: [EmbeddedPlatform, PlatformClient, PlatformProbe],
})
export class PlatformModule implements OnApplicationShutdown {
  constructor(
    @Inject(EmbeddedPlatform) private readonly embedded: RunningPlatform | undefined,
    private readonly client: PlatformClient,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
    await this.embedded?.close();
  }
}

const logger = new Logger(PlatformClient.name);

function logCircuit({ circuit, isOpen }: CircuitChange): void {
  const calls = circuit === 'auth' ? 'logins' : 'calls other than logins';
  if (isOpen) logger.warn(`The platform has failed too often: ${calls} are suspended for a few seconds.`);
  else logger.log(`The platform responds again: ${calls} resume.`);
}
