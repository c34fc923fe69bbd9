import { Logger } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.factory.js';
import { version } from '../config/version.js';
import { Settings } from '../config/settings.js';
import { PersistedDocuments } from '../graphql/limits/persisted-documents.js';
import { MetricsModule } from '../telemetry/metrics.module.js';
import { SessionStore } from '../session/store/session-store.js';
import { openOperatorSocket } from './operator-socket.js';
import { ReadinessService } from './readiness.service.js';
import { PlatformProbe } from '../platform/platform-probe.service.js';
import { EmbeddedPlatform, type RunningPlatform } from '../platform/platform.module.js';
import { standardOutput } from '../logging/standard-output.js';
import { startFault } from './start-fault.js';
import { startScreen } from './start-screen.js';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

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
    const closeSocket =
      settings.SESSION_STORE === 'embedded'
        ? await openOperatorSocket(
            settings.SESSION_STORE_PATH,
            app.get<SessionStore>(SessionStore, { strict: false }),
          )
        : undefined;
    stopOnSignals({
      signals: ['SIGTERM', 'SIGINT', ...(settings.hasAuditFile ? [] : (['SIGHUP'] as const))],
      delaySeconds: settings.shutdownDelaySeconds,
      withdraw: () => {
        service.get(ReadinessService).withdraw();
      },
      close: async () => {
        await closeSocket?.();
        await service.close();
        await standardOutput().close();
      },
    });
    await app.listen({ host: settings.HOST, port: settings.PORT, backlog: BACKLOG });
    // Not awaited: a platform that is down must not delay the start.
    void app.get(PlatformProbe).ask();
    await announce(app, settings);
    collectStart();
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
  if (settings.production) {
    const embedded = app.get<RunningPlatform | undefined>(EmbeddedPlatform);
    const platform = settings.PLATFORM_BASE_URL ?? embedded?.baseUrl ?? '';
    new Logger('Portico').log(
      `Portico ${version()} runs with sessions in the ${settings.SESSION_STORE} store and the platform at ${platform}`,
    );
    return;
  }
  standardOutput().write(await screenOf(app, settings));
}

/** Long enough to answer the first callers. */
const STARTED_MS = 250;

/**
 * Returns to the system what the start has left behind: a fifth of the memory that an idle service would take. V8
 * would keep it until the first busy minutes. It takes a tenth of a second, once, and needs Node's `--expose-gc`.
 */
function collectStart(): void {
  setTimeout(() => {
    // V8 drops the shapes that no object has, and each tick would then take ten times as long for good.
    process.nextTick(() => undefined);
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }, STARTED_MS).unref();
}

/** The start screen of a service that listens. */
export async function screenOf(app: NestFastifyApplication, settings: Settings): Promise<string> {
  const persisted = app.get<PersistedDocuments | undefined>(PersistedDocuments, { strict: false });
  return startScreen({
    url: await app.getUrl(),
    isReady: await app.get(ReadinessService).isReady(),
    embedded: app.get<RunningPlatform | undefined>(EmbeddedPlatform),
    usesEmbedded: settings.usesEmbeddedPlatform,
    hasConsole: settings.hasConsole,
    fieldPrefix: settings.FIELD_PREFIX,
    metricsUrl: app.get(MetricsModule).url,
    hasAllowList: persisted !== undefined,
    allowedQuery: persisted?.example,
  });
}

/**
 * `npm start` repeats the signal that the terminal has already sent. A signal that follows this soon is the same one.
 */
const SAME_MS = 400;

/**
 * Long enough to read connections that were held while the process was busy: closing them unread would lose their
 * requests.
 */
const LEAST_DELAY_MS = 50;

/** A signal that stops the service. */
type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** How a service stops. */
interface Stopping {
  readonly signals: readonly StopSignal[];
  /** How long it keeps serving after it has reported that it is not ready. */
  readonly delaySeconds: number;
  /** Reports from now on that it is not ready. */
  readonly withdraw: () => void;
  /** Finishes the requests in progress, and accepts no new ones. */
  readonly close: () => Promise<void>;
}

/**
 * On one of the signals the service first reports that it is not ready and keeps serving, so that load balancers send
 * requests elsewhere. Then it finishes the requests in progress and exits with 0. A second signal ends it
 * immediately.
 */
function stopOnSignals(stopping: Stopping): void {
  let since: number | undefined;
  for (const signal of stopping.signals) {
    process.on(signal, () => {
      if (since === undefined) {
        since = performance.now();
        void stop(stopping);
      } else if (performance.now() - since > SAME_MS) {
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
}

async function stop({ withdraw, delaySeconds, close }: Stopping): Promise<void> {
  try {
    withdraw();
    await pause(Math.max(LEAST_DELAY_MS, delaySeconds * 1000));
    await close();
    process.exit(0);
  } catch (fault) {
    process.stderr.write(
      `The service could not stop cleanly: ${fault instanceof Error ? fault.message : ''}\n`,
    );
    process.exit(1);
  }
}
