import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

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

/** Long, so that a busy machine fails no test: the library would wait half a minute. */
const PATIENCE_MS = 120_000;

/** A context of its own, as of somebody who has never been there. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}
