import { readEnvironment } from './config/environment.js';
import { parseSettings } from './config/parse-settings.js';
import { DEMO_LOGINS, startEmbeddedPlatform } from 'portico/embedded-platform';
import { startFault } from './app/start-fault.js';
import { platformScreen } from './app/start-screen.js';

const DEFAULT_PORT = '3100';

/** Runs the embedded platform alone, for other clients of this API, until it receives a signal. */
async function run(): Promise<void> {
  const {
    EMBEDDED_PLATFORM_PORT,
    EMBEDDED_PLATFORM_PATH,
    EMBEDDED_PLATFORM_IDLE_SECONDS,
    PLATFORM_HEADER_VENDOR,
  } = readEnvironment();
  const settings = parseSettings({
    EMBEDDED_PLATFORM_PORT: EMBEDDED_PLATFORM_PORT ?? DEFAULT_PORT,
    EMBEDDED_PLATFORM_PATH,
    EMBEDDED_PLATFORM_IDLE_SECONDS,
    PLATFORM_HEADER_VENDOR,
  });
  const platform = await startEmbeddedPlatform({
    port: settings.EMBEDDED_PLATFORM_PORT,
    path: settings.EMBEDDED_PLATFORM_PATH,
    vendor: settings.PLATFORM_HEADER_VENDOR,
    idleSeconds: settings.EMBEDDED_PLATFORM_IDLE_SECONDS,
  });
  process.stdout.write(platformScreen({ ...platform, demoLogins: DEMO_LOGINS }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void platform.close());
}

try {
  await run();
} catch (fault) {
  process.stderr.write(`${startFault(fault)}\n`);
  process.exitCode = 1;
}
