import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, type Page } from 'playwright-core';
import { runService, stopServices } from '../../support/app/run-service.js';
import { faultsOf } from '../../support/console/accessibility.js';
import { openContext, startBrowser } from '../../support/console/browser.js';
import { NARROW, WIDE } from '../../support/console/console-page.js';
import {
  buildExamplePage,
  checkExamplePage,
  type ExamplePage,
  startExamplePage,
} from '../../support/console/example-page.js';
import { describeInBrowser } from '../../support/console/in-browser.js';
import { tempFolder } from '../../support/temp-folder.js';

describeInBrowser('the example page', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let site: ExamplePage;
  let browser: Browser;
  let page: Page;
  let expiring: Promise<readonly Page[]>;
  beforeAll(async () => {
    folder = await tempFolder();
    const [service, started] = await Promise.all([
      runService(folder.path),
      startBrowser(),
      checkExamplePage(),
      buildExamplePage(`${folder.path}/page`),
    ]);
    browser = started;
    site = await startExamplePage(service.url, `${folder.path}/page`);
    expiring = openExpiring();
    // The last test waits for it, and tells of a failure.
    expiring.catch(() => undefined);
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser.close();
    await site.stop();
    await stopServices();
    await folder.remove();
  });

  /** Two tabs with a session that the platform ends after five idle seconds, during which the other tests run. */
  const openExpiring = async (): Promise<readonly Page[]> => {
    const context = await openContext(browser);
    const tabs = [await context.newPage(), await context.newPage()] as const;
    for (const tab of tabs) await tab.goto(site.url);
    await tabs[1].waitForSelector('.login');
    await logIn(tabs[0], 'short-session');
    await says(tabs[1], 'Shay Shortsession');
    await tabs[0].waitForSelector('.clock.soon');
    return tabs;
  };
  /** As for somebody who has never been here. */
  const open = async (): Promise<void> => {
    await page.context().clearCookies();
    await page.goto(site.url);
    await page.waitForSelector('.login');
  };
  const logIn = async (on: Page, username: string, password = 'demo'): Promise<void> => {
    await on.fill('[name=username]', username);
    await on.fill('[name=password]', password);
    await on.click('text="Log in"');
  };
  const says = async (on: Page, text: string): Promise<void> => {
    await on.waitForSelector(`:text(${JSON.stringify(text)})`);
  };

  describe.each([WIDE, NARROW])('$width pixels wide', (viewport) => {
    it.each(['light', 'dark'] as const)(
      'logs in, finds projects by name, shows more, stays, logs out, fits and has no serious fault, %s',
      async (colorScheme) => {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await open();
        expect(await faultsOf(page)).toEqual([]);
        const ground = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
        expect(ground).toBe(colorScheme === 'dark' ? 'rgb(25, 23, 19)' : 'rgb(250, 248, 243)');
        await logIn(page, 'demo');
        await says(page, '12 projects');
        await says(page, 'Dana Demo');
        expect(await page.evaluate('document.cookie')).toBe('');
        expect(await page.evaluate('document.activeElement.tagName')).toBe('HEADER');
        expect(await page.locator('.cards li').count()).toBe(9);
        await page.click('text="Show more"');
        await page.waitForSelector('.cards >> nth=1 >> text=Sandbox');
        await page.waitForSelector('.clock:text-matches("^(30:00|29:5)")');
        await page.click('text="Stay logged in"');
        expect(await faultsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
        await page.fill('input[type=search]', 'retail');
        await says(page, '1 project');
        expect(await page.textContent('.cards')).toContain('Retail Sales');
        await page.click('text="Log out"');
        await says(page, 'You are logged out');
        expect(await page.evaluate('document.activeElement.name')).toBe('username');
      },
    );
  });

  it('counts down to the end of the session, and begins anew when it is extended', async () => {
    await open();
    await logIn(page, 'demo');
    await page.waitForSelector('.clock:text-matches("^29:5")');
    await page.click('text="Stay logged in"');
    await page.waitForSelector('.clock:text-matches("^30:00")');
  });

  it('tells each error for a person', async () => {
    await open();
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
    await page.context().setOffline(false);
  });

  it('tells a time that is over as such, and not as a service that cannot be reached', async () => {
    const context = await openContext(browser);
    const tab = await context.newPage();
    await tab.addInitScript(
      'AbortSignal.timeout = ((of) => () => of.call(AbortSignal, 40))(AbortSignal.timeout)',
    );
    // Nothing ever answers.
    await tab.route('**/graphql', () => undefined);
    await tab.goto(site.url);
    await says(tab, 'The service took too long to answer.');
    await context.close();
  });

  it('shows the login form by itself when the session has ended, in every tab', async () => {
    for (const tab of await expiring) await says(tab, 'You are logged out');
  });
});
