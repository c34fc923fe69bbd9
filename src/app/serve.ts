import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.factory.js';
import { Settings } from '../config/settings.js';
import { ReadinessService } from '../health/readiness.service.js';
import { EmbeddedPlatform, type RunningPlatform } from '../platform/platform.module.js';
import { startFault } from './start-fault.js';
import { startScreen } from './start-screen.js';

/** Connections that the system keeps while the process is busy: of more, it lets the caller's next try wait for seconds. */
const BACKLOG = 4096;

/** Runs the service until it receives a signal. If it cannot start, it prints why in one line and exits with code 1. */
export async function serve(): Promise<void> {
  let app: NestFastifyApplication | undefined;
  try {
    app = await createApp();
    const settings = app.get(Settings);
    await app.listen({ host: settings.HOST, port: settings.PORT, backlog: BACKLOG });
    const embedded = app.get<RunningPlatform | undefined>(EmbeddedPlatform);
    if (!settings.production) {
      process.stdout.write(
        startScreen({
          url: await app.getUrl(),
          isReady: await app.get(ReadinessService).isReady(),
          embedded,
          usesEmbedded: settings.usesEmbeddedPlatform,
          hasConsole: settings.hasConsole,
          fieldPrefix: settings.FIELD_PREFIX,
        }),
      );
    }
  } catch (fault) {
    process.stderr.write(`${startFault(fault)}\n`);
    await app?.close();
    // Parts that had started before the fault would keep the process alive.
    process.exit(1);
  }
}
