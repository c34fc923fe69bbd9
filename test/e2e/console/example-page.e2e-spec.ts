import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { runService, type RunningService, stopServices } from '../../support/app/run-service.js';
import { faultsOf } from '../../support/console/accessibility.js';
import { noBrowser, startBrowser } from '../../support/console/browser.js';
import { buildExamplePage, type ExamplePage, startExamplePage } from '../../support/console/example-page.js';
import { tempFolder } from '../../support/temp-folder.js';

const inBrowser = noBrowser === undefined ? describe : describe.skip;

inBrowser(`the example page${noBrowser === undefined ? '' : ` (skipped: ${noBrowser})`}`, () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let service: RunningService;
  let site: ExamplePage;
  let browser: Browser;
  beforeAll(async () => {
    folder = await tempFolder();
    [service, browser] = await Promise.all([runService(folder.path), startBrowser(), buildExamplePage()]);
    site = await startExamplePage(service.url);
  });
  afterAll(async () => {
    await browser.close();
    await site.stop();
    await stopServices();
    await folder.remove();
  });

  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(site.url);
    await page.waitForSelector('.login');
    return page;
  };
  const logIn = async (page: Page, username: string, password = 'demo'): Promise<void> => {
    await page.fill('[name=username]', username);
    await page.fill('[name=password]', password);
    await page.click('text="Log in"');
  };
  const says = async (page: Page, text: string): Promise<void> => {
    await page.waitForSelector(`:text(${JSON.stringify(text)})`);
  };

  it('logs in, finds projects by name and shows more, and logs out, and no script sees a token', async () => {
    const page = await open();
    await logIn(page, 'demo');
    await says(page, '12 projects');
    await says(page, 'Dana Demo');
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.locator('.cards li').count()).toBe(9);
    await page.click('text="Show more"');
    await page.waitForSelector('.cards >> nth=1 >> text=Sandbox');
    await page.fill('input[type=search]', 'retail');
    await says(page, '1 project');
    expect(await page.textContent('.cards')).toContain('Retail Sales');
    await page.click('text="Log out"');
    await says(page, 'You are logged out');
    await page.context().close();
  });

  it('counts down to the end of the session, and begins anew when it is extended', async () => {
    const page = await open();
    await logIn(page, 'demo');
    await page.waitForSelector('.clock:text-matches("^29:5")');
    await page.click('text="Stay logged in"');
    await page.waitForSelector('.clock:text-matches("^30:00")');
    await page.context().close();
  });

  it('shows the login form by itself when the session has ended, in every tab', async () => {
    const page = await open();
    const other = await page.context().newPage();
    await other.goto(site.url);
    await other.waitForSelector('.login');
    await logIn(page, 'short-session');
    await says(other, 'Shay Shortsession');
    await page.waitForSelector('.clock.soon');
    await Promise.all([says(page, 'You are logged out'), says(other, 'You are logged out')]);
    await page.context().close();
  });

  it('tells each error for a person', async () => {
    const page = await open();
    for (const [username, sentence] of [
      ['nobody', 'The user name or the password is wrong.'],
      ['expired-password', 'Your password has expired.'],
      ['locked', 'Your account is locked.'],
      ['disabled', 'Your account is disabled.'],
      ['server-full', 'Too many people are logged in.'],
      ['no-privileges', 'You are not allowed to see this.'],
    ] as const) {
      await logIn(page, username);
      await says(page, sentence);
    }
    await page.click('text="Log out"');
    await says(page, 'You are logged out');
    await logIn(page, 'backend-down');
    await says(page, 'The analytics server does not answer.');
    await page.context().setOffline(true);
    await page.click('text="Stay logged in"');
    await says(page, 'The service cannot be reached.');
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)('fits a phone and has no serious fault, %s', async (colorScheme) => {
    const page = await open({ colorScheme, viewport: { width: 390, height: 844 } });
    expect(await faultsOf(page)).toEqual([]);
    await logIn(page, 'demo');
    await says(page, '12 projects');
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.context().close();
  });
});
