import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** Why browser tests cannot run here; undefined where they can. */
export const noBrowser = CHROMIUM === undefined ? 'no Chromium in /usr/bin' : undefined;

/** The system's own Chromium, without a window and without calls home. @param more further command line arguments. */
export function startBrowser(...more: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });
}
