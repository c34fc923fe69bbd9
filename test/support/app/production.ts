import { randomBytes } from 'node:crypto';

/** The settings that make a service a production one, over a platform. */
export function productionSettings(platformBaseUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    PLATFORM_BASE_URL: platformBaseUrl,
    SHUTDOWN_DELAY_SECONDS: '0',
    SESSION_KEYS: `test:${randomBytes(32).toString('base64')}`,
  };
}
