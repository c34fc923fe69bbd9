import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser } from 'playwright-core';
import { noBrowser, startBrowser } from '../support/console/browser.js';
import { runService, type RunningService, stopServices } from '../support/app/run-service.js';
import { startApp } from '../support/app/start-app.js';
import { tempFolder } from '../support/temp-folder.js';

const inBrowser = noBrowser === undefined ? describe : describe.skip;

inBrowser(`the console in a browser${noBrowser === undefined ? '' : ` (skipped: ${noBrowser})`}`, () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let service: RunningService;
  let browser: Browser;
  beforeAll(async () => {
    folder = await tempFolder();
    service = await runService(folder.path);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await stopServices();
    await folder.remove();
  });

  it('logs in, runs a query and logs out, and calls no host but the service', async () => {
    const page = await browser.newPage();
    const hosts = new Set<string>();
    const complaints: string[] = [];
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await page.goto(service.url);
    await page.waitForSelector('#status:has-text("Not logged in; try demo / demo")');
    expect(await page.isDisabled('#logout')).toBe(true);

    await page.fill('[name=username]', 'demo');
    await page.fill('[name=password]', 'demo');
    await page.click('text=Log in');
    await page.waitForSelector('#status:has-text("Logged in as Dana Demo")');
    expect(await page.inputValue('[name=password]')).toBe('');
    expect(await page.evaluate('document.cookie')).toBe('');

    await page.click('.graphiql-execute-button');
    await page.waitForSelector('.result-window:has-text("Retail Sales")');

    await page.click('#logout');
    await page.waitForSelector('#status:has-text("Logged out")');
    await page.reload();
    await page.waitForSelector('#status:has-text("Not logged in")');

    expect([...hosts].filter((host) => host !== '')).toEqual([new URL(service.url).host]);
    expect(complaints).toEqual([]);
  });

  it('works under a field prefix too', async () => {
    const own = await tempFolder();
    const prefixed = await runService(own.path, { FIELD_PREFIX: 'analytics' });
    const page = await browser.newPage();
    await page.goto(prefixed.url);
    await page.click('text=Log in');
    await page.waitForSelector('#status:has-text("Logged in as")');
    await page.click('.graphiql-execute-button');
    await page.waitForSelector('.result-window:has-text("projects")');
    await prefixed.stop();
    await own.remove();
  });

  it('says why a login failed', async () => {
    const page = await browser.newPage();
    await page.goto(service.url);
    await page.fill('[name=username]', 'locked');
    await page.fill('[name=password]', 'demo');
    await page.click('text=Log in');
    await page.waitForSelector('#status:has-text("ACCOUNT_LOCKED")');
    await page.fill('[name=username]', 'demo');
    await page.fill('[name=password]', 'wrong');
    await page.click('text=Log in');
    await page.waitForSelector('#status:text-is("Login failed")');
  });
});

describe('the console', () => {
  it('serves its own files and no other', async () => {
    const app = await startApp();
    const status = async (path: string): Promise<number> => (await fetch(`${app.url}${path}`)).status;
    expect(await status('/')).toBe(200);
    expect(await status('/console/console.js')).toBe(200);
    for (const path of [
      '/console/nothing.js',
      '/console/..%2Fconsole-files.js',
      '/console/%2e%2e%2f%2e%2e%2fmain.js',
      '/console/',
    ]) {
      expect(await status(path)).toBe(404);
    }
    await app.close();
  });

  it('is not there where its documents may not run', async () => {
    const folder = await tempFolder();
    await writeFile(`${folder.path}/one.graphql`, '{ hasSession }');
    const app = await startApp({ PERSISTED_DOCUMENTS: folder.path });
    expect((await fetch(app.url)).status).toBe(404);
    await app.close();
    await folder.remove();
  });

  it('tells no demo login where the platform is a real one', async () => {
    const app = await startApp({ PLATFORM_BASE_URL: 'http://127.0.0.1:9/api' });
    expect(await (await fetch(app.url)).text()).toContain('data-demo=""');
    await app.close();
  });

  it('is not there where introspection is off', async () => {
    const app = await startApp({ GRAPHQL_INTROSPECTION: 'false' });
    const response = await fetch(app.url);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      errors: [{ message: 'No such path', extensions: { code: 'BAD_REQUEST' } }],
    });
    expect((await fetch(`${app.url}/console/console.js`)).status).toBe(404);
    await app.close();
  });
});
