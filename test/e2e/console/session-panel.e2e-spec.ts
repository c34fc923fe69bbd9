import { readFile } from 'node:fs/promises';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Page, type Route } from 'playwright-core';
import { useConsole } from '../../support/console/console-fixture.js';
import { type ConsolePage } from '../../support/console/console-page.js';
import { describeInBrowser } from '../../support/console/in-browser.js';
import { openContext } from '../../support/console/browser.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';

const DOCS = new URL('../../../docs/frontend.md', import.meta.url);

describeInBrowser("the console's session panel", () => {
  const fixture = useConsole();
  let console: ConsolePage;
  let page: Page;
  let expiring: Promise<readonly ConsolePage[]>;
  beforeAll(async () => {
    expiring = Promise.all([openExpiring().then(failFirstQuestion), openExpiring()]);
    // The last test waits for it, and tells of a failure.
    expiring.catch(() => undefined);
    console = await fixture.open();
    ({ page } = console);
  });
  beforeEach(async () => {
    await page.context().setOffline(false);
    if (!(await page.isVisible('#logout'))) return;
    await page.click('#logout');
    await console.says('Logged out');
  });

  /** The platform ends such a session after five idle seconds, during which the other tests run. */
  const openExpiring = async (): Promise<ConsolePage> => {
    const apart = await fixture.openApart();
    await apart.clickDemo('short-session');
    // On a machine that stands still for so long, its time is over before it was shown.
    await apart.page.waitForSelector('#session.soon, #status:has-text("the session has expired")');
    return apart;
  };
  /** What the page asks by itself when the time is over gets no answer, once. */
  const failFirstQuestion = async (apart: ConsolePage): Promise<ConsolePage> => {
    await apart.page.route('**/graphql', (route) => route.abort(), { times: 1 });
    return apart;
  };

  it('shows who is logged in and until when, extends, logs out, and asks no host but the service', async () => {
    await console.says('Not logged in; try demo / demo');
    expect(await page.isVisible('#session')).toBe(false);

    await page.fill('[name=username]', 'demo');
    await page.fill('[name=password]', 'demo');
    await page.click('#login-form button[type=submit]');
    await console.says('Logged in as Dana Demo');
    expect(await page.textContent('#user')).toBe('Dana Demo');
    expect(await page.textContent('#remaining')).toMatch(/^(30:00|29:\d\d)$/);
    expect(await page.textContent('#deadline')).toContain('platform');
    expect(await page.inputValue('[name=password]')).toBe('');
    expect(await page.evaluate('document.cookie')).toBe('');

    await page.click('#extend');
    await console.says('Extended');
    await page.click('.graphiql-execute-button');
    await console.answers('Retail Sales');

    await page.click('#logout');
    await console.says('Logged out');
    expect(await page.isVisible('#session')).toBe(false);
    await page.reload();
    await console.says('Not logged in');
    expect([...console.hosts]).toEqual([new URL(fixture.service.url).host]);
    expect(console.complaints).toEqual([]);
  });

  it('follows mutations of the editor: a login, a login as somebody else, a logout', async () => {
    await console.run('mutation { login(input: {username: "demo", password: "demo"}) { expiresAt } }');
    await console.says('Logged in as Dana Demo');
    await page.waitForSelector('#project-count:text-is("12")');
    await console.run(
      'mutation { login(input: {username: "twin-projects", password: "demo"}) { expiresAt } }',
    );
    await console.says('Logged in as Toni Twinprojects');
    await page.waitForSelector('#project-count:text-is("13")');
    await console.run('mutation { logout { loggedOut } }');
    await console.says('Logged out');
    expect(await page.isVisible('#projects')).toBe(false);
  });

  it('lets somebody log out of whom the platform tells nothing, after a reload too', async () => {
    await console.clickDemo('backend-down');
    await console.says('Logged in, but your name cannot be loaded');
    await page.reload();
    await console.says('Logged in, but your name cannot be loaded');
    expect(await page.isEnabled('#logout')).toBe(true);
    await page.click('#extend');
    await page.waitForSelector('#status:text-matches("^The back-end")');
    await page.click('#logout');
    await console.says('Logged out');
  });

  it('follows what another tab does', async () => {
    const other = await page.context().newPage();
    await other.goto(fixture.service.url);
    await other.click('#demo-list button:has(strong:text-is("demo"))');
    await console.says('Logged in as Dana Demo');
    await other.click('#logout');
    await console.says('Logged out');
    await other.close();
  });

  it('can be had in a page of one’s own by the countdown and the tabs of docs/frontend.md, in 16 lines and 3', async () => {
    const [, text = ''] = (await readFile(DOCS, 'utf8')).split('### A countdown');
    const [countdown = '', tabs = ''] = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);
    expect([countdown, tabs].map((code) => code.trim().split('\n').length)).toEqual([16, 3]);
    const context = await openContext(fixture.browser);
    await context.route('**/page', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
    );
    const open = async (): Promise<Page> => {
      const tab = await context.newPage();
      await tab.goto(`${fixture.service.url}/page`);
      await tab.addScriptTag({
        content: `const shown = [], show = (at) => shown.push(at); ${countdown}${tabs}`,
      });
      return tab;
    };
    const [first, other] = [await open(), await open()];
    await first.evaluate(
      `ask('mutation { login(input: { username: "demo", password: "demo" }) { sessionStatus { id } } }')`,
    );
    await first.evaluate('look()');
    const minutes = await first.evaluate<number>('(until - performance.now()) / 60_000');
    expect(minutes).toBeGreaterThan(28);
    expect(minutes).toBeLessThanOrEqual(30);
    expect(await other.evaluate('until')).toBe(0);
    await first.evaluate('extend().then(changed)');
    expect(await first.evaluate('shown.at(-1) >= performance.now() + 28 * 60_000')).toBe(true);
    await other.waitForFunction('until > 0');
    await other.evaluate("ask('mutation { logout { loggedOut } }').then(changed)");
    await first.waitForFunction('until === 0');
    await context.close();
  });

  it('keeps what it knows while the service is away, and says so', async () => {
    await console.clickDemo('demo');
    await console.says('Logged in as Dana Demo');
    await page.context().setOffline(true);
    await page.click('#extend');
    await console.says('Failed to fetch');
    expect(await page.isEnabled('#logout')).toBe(true);
    await page.context().setOffline(false);
    await page.click('#logout');
    await console.says('Logged out');
  });

  it('lists projects with ids to copy, finds them by name, and shows thousands by the page', async () => {
    await console.clickDemo('many-projects');
    await page.waitForSelector('#project-count:text-is("5,000")');
    expect(await page.locator('.project').count()).toBe(10);
    await page.click('#more-projects');
    await page.waitForSelector('.project:nth-child(20)');
    await page.fill('#project-search', '4999');
    await page.waitForSelector('#project-count:text-is("1")');
    await page.click('[aria-label="Copy id of Project 4999"]');
    await page.waitForSelector('.project button:text-is("Copied")');
    const id = await page.textContent('.project code');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id);
    await page.fill('#project-search', 'nothing like it');
    await page.waitForSelector('#project-note:text-is("None")');
  });

  it('goes by the first of several refusals, also while it is loading the session', async () => {
    await console.clickDemo('demo');
    await console.says('Logged in as Dana Demo');
    await page.waitForSelector('#project-count:text-is("12")');
    const refuse = (reason: string): string =>
      JSON.stringify({ errors: [{ message: reason, extensions: { code: 'UNAUTHENTICATED', reason } }] });
    const reasons = ['SESSION_EXPIRED', 'NO_SESSION'];
    const loading = Promise.withResolvers<undefined>();
    await page.route('**/graphql', async (route) => {
      const isAboutSession = route.request().postData()?.includes('expiresInSeconds') === true;
      if (isAboutSession) await loading.promise;
      const body = isAboutSession ? '{"data":{"session":null}}' : refuse(reasons.shift() ?? 'NO_SESSION');
      await route.fulfill({ body });
    });
    await console.run('{ me { id } }');
    await console.answers('SESSION_EXPIRED');
    await console.run('{ me { id fullName } }');
    await console.answers('NO_SESSION');
    loading.resolve(undefined);
    await console.says('Logged out: the session has expired');
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('says why projects are missing', async () => {
    await console.clickDemo('no-privileges');
    await console.says('Logged in as Nora');
    await page.waitForSelector('#project-note:has-text("privilege")');
  });

  it('tells in time that the session ends, and goes by the seconds of each answer', async () => {
    await console.clickDemo('demo');
    await console.says('Logged in as Dana Demo');
    await page.waitForSelector('#remaining:text-matches("^(30:00|29:)")');
    // From here on for the rest of the page's life: no test may follow in it.
    await page.clock.install();
    await page.clock.fastForward(29.5 * 60_000);
    await console.says('The session ends within a minute');
    expect(await page.getAttribute('#session', 'class')).toBe('soon');
    // An answer tells how long it still lasts.
    await console.run('{ hasSession }');
    await page.waitForSelector('#session:not(.soon)');
    await page.waitForSelector('#remaining:text-matches("^(30:0|29:)")');
  });

  it('asks one question at a time whether its session is over', async () => {
    const apart = await fixture.openApart();
    const { clock } = apart.page;
    await clock.install();
    await apart.page.reload();
    await apart.clickDemo('demo');
    await apart.says('Logged in as Dana Demo');
    const questions: Route[] = [];
    await apart.page.route('**/graphql', (route) => {
      questions.push(route);
    });
    await clock.fastForward(31 * 60_000);
    await eventually(() => questions.length > 0);
    await clock.runFor(20_000);
    expect(questions).toHaveLength(1);
    await questions[0]?.abort();
    await eventually(async () => {
      await clock.runFor(1000);
      expect(questions).toHaveLength(2);
    });
    await apart.close();
  });

  it('says that a session has expired, by itself, although the first question fails, and after a query', async () => {
    const [waiting, asking] = await expiring;
    if (waiting === undefined || asking === undefined) throw new Error('two sessions were to expire');
    // Nothing but the answer of the platform says when the five seconds are over.
    await waiting.says('Logged out: the session has expired');
    await asking.run('{ me { fullName } }');
    await asking.says('Logged out: the session has expired');
    await Promise.all([waiting.close(), asking.close()]);
  });
});
