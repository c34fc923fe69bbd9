import { Logger } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.factory.js';
import { version } from '../config/version.js';
import { Settings } from '../config/settings.js';
import { PersistedDocuments } from '../graphql/limits/persisted-documents.js';
import { MetricsModule } from '../telemetry/metrics.module.js';
import { ReadinessService } from './readiness.service.js';
import { PlatformProbe } from '../platform/platform-probe.service.js';
import { EmbeddedPlatform, type RunningPlatform } from '../platform/platform.module.js';
import { standardOutput } from '../logging/standard-output.js';
import { startFault } from './start-fault.js';
import { stopOnSignals } from './stop-on-signals.js';
import { startScreen } from './start-screen.js';

/**
 * Connections that the system holds while the process is busy. Callers of further ones retry only after a second or
 * more.
 */
const BACKLOG = 4096;

/**
 * Runs the service until it receives a signal. If it cannot start, it prints why in one line and exits with code 1.
 */
export async function serve(): Promise<void> {
  let app: NestFastifyApplication | undefined;
  try {
    surviveClosedErrorOutput();
    app = await createApp();
    const service = app;
    const settings = app.get(Settings);
    stopOnSignals({
      signals: ['SIGTERM', 'SIGINT', ...(settings.hasAuditFile ? [] : (['SIGHUP'] as const))],
      delaySeconds: settings.shutdownDelaySeconds,
      withdraw: () => {
        service.get(ReadinessService).withdraw();
      },
      close: async () => {
        await service.close();
        await standardOutput().close();
      },
    });
    await app.listen({ host: settings.HOST, port: settings.PORT, backlog: BACKLOG });
    // Not awaited: a platform that is down must not delay the start.
    void app.get(PlatformProbe).ask();
    await announce(app, settings);
  } catch (fault) {
    process.stderr.write(`${startFault(fault)}\n`);
    await app?.close();
    await standardOutput().close();
    // Parts that had started before the fault would keep the process alive.
    process.exit(1);
  }
}

/** The process that reads it may exit first, which must not stop the service. */
function surviveClosedErrorOutput(): void {
  process.stderr.on('error', () => undefined);
}

/** Says what runs and where: in one line of the log in production, on a screen otherwise. */
async function announce(app: NestFastifyApplication, settings: Settings): Promise<void> {
  const embedded = app.get<RunningPlatform | undefined>(EmbeddedPlatform);
  if (settings.production) {
    const platform = settings.PLATFORM_BASE_URL ?? embedded?.baseUrl ?? '';
    new Logger('Portico').log(
      `Portico ${version()} runs with sessions in the ${settings.SESSION_STORE} store and the platform at ${platform}`,
    );
    return;
  }
  const persisted = app.get<PersistedDocuments | undefined>(PersistedDocuments, { strict: false });
  standardOutput().write(
    startScreen({
      url: await app.getUrl(),
      isReady: await app.get(ReadinessService).isReady(),
      embedded,
      usesEmbedded: settings.usesEmbeddedPlatform,
      hasConsole: settings.hasConsole,
      fieldPrefix: settings.FIELD_PREFIX,
      metricsUrl: app.get(MetricsModule).url,
      hasAllowList: persisted !== undefined,
      allowedQuery: persisted?.example,
    }),
  );
}
