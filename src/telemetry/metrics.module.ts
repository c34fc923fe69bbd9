import {
  Global,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance } from 'fastify';
import { type Registry } from 'prom-client';
import { AuthModule } from '../auth/auth.module.js';
import { LoginWatch } from '../auth/login-limits.service.js';
import { Settings } from '../config/settings.js';
import { CredentialProfiles, CredentialError } from 'portico/credentials';
import { Admission } from '../load/admission.js';
import { Connections } from '../load/connections.js';
import { Observation } from '../logging/observation.js';
import { RefusedRecords } from '../session/record-seal.js';
import { SessionModule } from '../session/session.module.js';
import { SessionStore } from '../session/store/session-store.js';
import { StoreHealth } from '../session/store/store-health.js';
import { Telemetry } from './telemetry.js';
import { type measure } from './measure.js';
import { buildInfo, listenForMetrics, type MetricsListener } from './metrics-listener.js';
import { setTimeout as pause } from 'node:timers/promises';

/** The injection token of `measure`; undefined when metrics are off, so that its packages stay out of the process. */
const Measure = Symbol('Measure');
type Measure = typeof measure;

/** Metrics, on a port of their own and to an OpenTelemetry collector. If neither is set, nothing is measured. */
@Global()
@Module({
  imports: [SessionModule, AuthModule],
  providers: [
    {
      provide: Measure,
      inject: [Settings, Telemetry],
      useFactory: async ({ METRICS_PORT }: Settings, { exportMetrics }: Telemetry) =>
        METRICS_PORT === undefined && exportMetrics === undefined
          ? undefined
          : (await import('./measure.js')).measure,
    },
  ],
})
export class MetricsModule implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger(MetricsModule.name);
  #listener: MetricsListener | undefined;
  #endTrial: (() => void) | undefined;
  #registry: Registry | undefined;

  constructor(
    @Inject(Measure) private readonly measure: Measure | undefined,
    @Inject(CredentialProfiles) private readonly profiles: CredentialProfiles | undefined,
    @Inject(SessionStore) private readonly store: SessionStore,
    @Inject(Telemetry) private readonly telemetry: Telemetry,
    private readonly observation: Observation,
    private readonly refused: RefusedRecords,
    private readonly storeHealth: StoreHealth,
    private readonly logins: LoginWatch,
    private readonly admission: Admission,
    private readonly connections: Connections,
    private readonly adapterHost: HttpAdapterHost,
    private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    if (this.measure === undefined) return;
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    const { observation, admission, connections, store, storeHealth, refused, logins, profiles } = this;
    const load = { admission, connections };
    const sessions = { store, storeHealth, refused };
    this.#registry = this.measure({ server, observation, ...load, ...sessions, logins, profiles });
    this.telemetry.exportMetrics?.(this.#registry);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { METRICS_HOST, METRICS_PORT } = this.settings;
    if (this.#registry === undefined) return;
    if (this.profiles !== undefined) this.#endTrial = tryProfiles(this.profiles, this.#logger);
    if (METRICS_PORT === undefined) return;
    this.#listener = await listenForMetrics(this.#registry, buildInfo(), METRICS_HOST, METRICS_PORT);
    this.#logger.log(`Metrics are at ${this.#listener.url}`);
  }

  /** The URL of the metrics while the port is open. */
  get url(): string | undefined {
    return this.#listener?.url;
  }

  async onApplicationShutdown(): Promise<void> {
    this.#endTrial?.();
    await this.#listener?.close();
  }
}

const MINUTE_MS = 60_000;

/**
 * Fetches the credentials of each profile, one after the other, and every minute again those that failed or have
 * changed: metrics and the log tell of a broken profile before it is used, which may be at night.
 *
 * @returns ends it
 */
export function tryProfiles(
  profiles: CredentialProfiles,
  logger: { warn(message: string): void },
  everyMs = MINUTE_MS,
): () => void {
  const end = new AbortController();
  const { signal } = end;
  const repeat = async (): Promise<void> => {
    const reported = new Set<string>();
    while (!signal.aborted) {
      for (const name of profiles.names) {
        if (profiles.resolutionOf(name)?.succeeded === true) reported.delete(name);
        else await tryOut(name, reported);
      }
      await pause(everyMs, undefined, { ref: false, signal }).catch(() => undefined);
    }
  };
  const tryOut = async (name: string, reported: Set<string>): Promise<void> => {
    try {
      await profiles.tryOut(name);
      reported.delete(name);
    } catch (error) {
      // What another error says might hold a secret.
      const why = error instanceof CredentialError ? error.message : 'an unexpected error';
      if (!reported.has(name) && !signal.aborted)
        logger.warn(`The credentials of the profile ${name} cannot be fetched: ${why}`);
      reported.add(name);
    }
  };
  void repeat();
  return () => {
    end.abort();
  };
}
