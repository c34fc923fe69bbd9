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
import { collectDefaultMetrics, Registry } from 'prom-client';
import { AuthModule } from '../auth/auth.module.js';
import { LoginWatch } from '../auth/login-limits.service.js';
import { Settings } from '../config/settings.js';
import { CredentialProfiles, CredentialError } from 'portico/credentials';
import { errorFacts } from '../errors/to-graphql-error.js';
import { Admission } from '../load/admission.js';
import { Connections } from '../load/connections.js';
import { Observation } from '../logging/observation.js';
import { RefusedRecords } from '../session/record-seal.js';
import { SessionModule } from '../session/session.module.js';
import { SessionStore } from '../session/store/session-store.js';
import { StoreHealth } from '../session/store/store-health.js';
import { Telemetry } from './telemetry.js';
import { buildInfo, listenForMetrics, type MetricsListener } from './metrics-listener.js';
import { metricsObserver } from './metrics-observer.js';
import { measureRequests } from './request-metrics.js';
import {
  showAdmission,
  showConnections,
  showBuild,
  showLiveSessions,
  showLogins,
  showProfiles,
  showRefusedRecords,
  showStoreHealth,
} from './state-metrics.js';
import { setTimeout as pause } from 'node:timers/promises';

/** The injection token of the registry; undefined when metrics are off. */
export const MetricsRegistry = Symbol('MetricsRegistry');

/** Metrics, on a port of their own and to an OpenTelemetry collector. If neither is set, nothing is measured. */
@Global()
@Module({
  imports: [SessionModule, AuthModule],
  providers: [
    {
      provide: MetricsRegistry,
      inject: [Settings, Telemetry],
      useFactory: ({ METRICS_PORT }: Settings, { exportMetrics }: Telemetry) =>
        METRICS_PORT === undefined && exportMetrics === undefined ? undefined : processRegistry(),
    },
  ],
  exports: [MetricsRegistry],
})
export class MetricsModule implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger(MetricsModule.name);
  #listener: MetricsListener | undefined;
  #endTrial: (() => void) | undefined;

  constructor(
    @Inject(MetricsRegistry) private readonly registry: Registry | undefined,
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
    if (this.registry === undefined) return;
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    measureRequests(server, this.registry);
    showAdmission(this.admission, this.registry);
    showConnections(this.connections, this.registry);
    this.observation.add(metricsObserver(this.registry, errorFacts));
    showBuild(buildInfo(), this.registry);
    showLiveSessions(this.store, this.registry);
    showRefusedRecords(this.refused, this.registry);
    showStoreHealth(this.storeHealth, this.registry);
    showLogins(this.logins, this.registry);
    if (this.profiles !== undefined) showProfiles(this.profiles, this.registry);
    this.telemetry.exportMetrics?.(this.registry);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { METRICS_HOST, METRICS_PORT } = this.settings;
    if (this.registry === undefined) return;
    if (this.profiles !== undefined) this.#endTrial = tryProfiles(this.profiles, this.#logger);
    if (METRICS_PORT === undefined) return;
    this.#listener = await listenForMetrics(this.registry, buildInfo(), METRICS_HOST, METRICS_PORT);
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

/** A registry with the metrics of the process: CPU, memory, event loop, garbage collection. */
function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
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
