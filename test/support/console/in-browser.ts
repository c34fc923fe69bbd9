import { describe } from 'vitest';
import { noBrowser } from './browser.js';

/** Tests in Chromium: skipped where there is none, and the title says why. */
export function describeInBrowser(title: string, tests: () => void): void {
  if (noBrowser === undefined) describe(title, tests);
  else describe.skip(`${title} (skipped: ${noBrowser})`, tests);
}
