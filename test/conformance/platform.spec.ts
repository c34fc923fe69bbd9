import { afterAll, describe, it } from 'vitest';

import { startPlatform } from '../../packages/portico/test/support/embedded-platform/start-platform.js';
import { describePlatform } from './platform.conformance.js';

const DEMO = { username: 'demo', password: 'demo', apiKey: 'demo-api-key', anonymous: true };

const embedded = await startPlatform();
const elsewhere = await startPlatform({ vendor: 'MSTR', path: '/ReportLibrary/api' });
afterAll(() => Promise.all([embedded.close(), elsewhere.close()]));

describePlatform('the embedded platform', { ...DEMO, baseUrl: embedded.baseUrl, vendor: 'SVC' });
describePlatform('the embedded platform below another path, with another vendor', {
  ...DEMO,
  baseUrl: elsewhere.baseUrl,
  vendor: 'MSTR',
});

const {
  PLATFORM_BASE_URL,
  PLATFORM_HEADER_VENDOR = 'SVC',
  PLATFORM_USERNAME,
  PLATFORM_PASSWORD,
  PLATFORM_API_KEY,
  PLATFORM_ANONYMOUS,
} = process.env;

if (PLATFORM_BASE_URL && PLATFORM_USERNAME && PLATFORM_PASSWORD !== undefined) {
  describePlatform('the platform of PLATFORM_BASE_URL', {
    baseUrl: PLATFORM_BASE_URL.replace(/\/$/, ''),
    vendor: PLATFORM_HEADER_VENDOR,
    username: PLATFORM_USERNAME,
    password: PLATFORM_PASSWORD,
    apiKey: PLATFORM_API_KEY,
    anonymous: PLATFORM_ANONYMOUS === 'true',
  });
} else {
  const missing = Object.entries({ PLATFORM_BASE_URL, PLATFORM_USERNAME, PLATFORM_PASSWORD })
    .filter(([, value]) => !value)
    .map(([name]) => name);
  const why = `skipped, these are not set: ${missing.join(', ')}`;
  process.stderr.write(`conformance of a real platform: ${why}\n`);
  describe('a real platform', () => {
    it.skip(`speaks the same protocol (${why})`, () => undefined);
  });
}
