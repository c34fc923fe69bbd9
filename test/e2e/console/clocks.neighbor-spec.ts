import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, type Page } from 'playwright-core';
import { runService, type RunningService, stopServices } from '../../support/app/run-service.js';
import { openContext, startBrowser } from '../../support/console/browser.js';
import { buildExamplePage, type ExamplePage, startExamplePage } from '../../support/console/example-page.js';
import { describeInBrowser } from '../../support/console/in-browser.js';
import { tempFolder } from '../../support/temp-folder.js';

const HOUR = 3_600_000;
const DOCS = new URL('../../../docs/frontend.md', import.meta.url);
/** Half an hour, minus what a busy machine takes. */
const NEARLY_30 = /^(?:30:00|29:\d\d)$/;

describeInBrowser('a countdown in a browser whose clock is wrong', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let service: RunningService;
  let site: ExamplePage;
  let browser: Browser;
  beforeAll(async () => {
    folder = await tempFolder();
    [service, browser] = await Promise.all([
      runService(folder.path),
      startBrowser(),
      buildExamplePage(`${folder.path}/page`),
    ]);
    site = await startExamplePage(service.url, `${folder.path}/page`);
  });
  afterAll(async () => {
    await browser.close();
    await site.stop();
    await stopServices();
    await folder.remove();
  });

  it.each([-2, 0, 1, 13])(
    'by %s hours is right: in the console, the example page and the snippet',
    async (hours) => {
      const context = await openContext(browser);
      const time = Date.now() + hours * HOUR;
      await context.clock.install({ time });
      const open = async (url: string): Promise<Page> => {
        const page = await context.newPage();
        await page.goto(url);
        const ahead = (await page.evaluate<number>('Date.now()')) - Date.now();
        expect(ahead / HOUR).toBeCloseTo(hours, 1);
        return page;
      };
      const console = await open(service.url);
      await console.click('#demo-list button:has(strong:text-is("demo"))');
      await console.waitForSelector('#remaining:text-matches("^(30:00|29:)")');

      // Cookies do not know ports: the page would be logged in already.
      await context.clearCookies();
      const page = await open(site.url);
      await page.fill('[name=username]', 'demo');
      await page.fill('[name=password]', 'demo');
      await page.click('text="Log in"');
      await page.waitForSelector('text="Dana Demo"');
      expect(await page.textContent('.clock')).toMatch(NEARLY_30);

      await context.route('**/page', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
      );
      const own = await open(`${service.url}/page`);
      const [, text = ''] = (await readFile(DOCS, 'utf8')).split('### A countdown');
      const [, snippet = ''] = /```js\n(.*?)```/s.exec(text) ?? [];
      await own.addScriptTag({ content: `const show = () => {}; ${snippet}` });
      await own.evaluate('look()');
      const minutes = await own.evaluate<number>('(until - performance.now()) / 60_000');
      expect([minutes > 28, minutes <= 30]).toEqual([true, true]);
      await context.close();
    },
  );
});
