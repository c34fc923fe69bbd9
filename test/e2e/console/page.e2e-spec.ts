import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type Locator, type Page } from 'playwright-core';
import { faultsOf } from '../../support/console/accessibility.js';
import { useConsole } from '../../support/console/console-fixture.js';
import { type ConsolePage, NARROW, openConsole, WIDE } from '../../support/console/console-page.js';
import { describeInBrowser } from '../../support/console/in-browser.js';

const KILOBYTE = 1024;
/** More than the page has controls. */
const STEPS = 70;

describeInBrowser("the console's page", () => {
  const fixture = useConsole();

  const logIn = async (console: ConsolePage): Promise<void> => {
    await console.clickDemo('demo');
    await console.says('Logged in as Dana Demo');
    await console.page.waitForSelector('.project');
  };

  it('loads less than 700 KB once, and none of its files a second time', async () => {
    const console = await openConsole(fixture.browser, fixture.service.url);
    const { page } = console;
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    const [files, cached] = [new Map<string, number>(), new Set<string>()];
    network.on('Network.responseReceived', ({ requestId, response }) => {
      if (!response.url.startsWith(`${fixture.service.url}/graphql`)) files.set(requestId, 0);
      if (response.fromDiskCache === true) cached.add(requestId);
    });
    network.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId));
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (files.has(requestId)) files.set(requestId, encodedDataLength);
    });
    const load = async (): Promise<{ files: number; bytes: number }> => {
      files.clear();
      await page.goto(fixture.service.url, { waitUntil: 'networkidle' });
      await console.says('Not logged in');
      const sent = [...files].filter(([id]) => !cached.has(id)).map(([, bytes]) => bytes);
      return { files: sent.length, bytes: sent.reduce((sum, bytes) => sum + bytes, 0) };
    };
    const first = await load();
    expect(first.files).toBeGreaterThan(12);
    expect(first.bytes).toBeGreaterThan(100 * KILOBYTE);
    expect(first.bytes).toBeLessThan(700 * KILOBYTE);
    // The page itself is asked for and has not changed.
    const second = await load();
    expect(second.files).toBe(1);
    expect(second.bytes).toBeLessThan(KILOBYTE);
    await console.close();
  });

  it('follows the theme that is chosen in the editor', async () => {
    const console = await fixture.open({ colorScheme: 'light' });
    const { page } = console;
    const scheme = (): Promise<string> => page.evaluate('getComputedStyle(document.body).colorScheme');
    expect(await scheme()).toBe('light dark');
    await page.click('[data-value=settings]');
    await page.click('[data-theme=dark]');
    expect(await scheme()).toBe('dark');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.waitForSelector('.graphiql-container');
    expect(await scheme()).toBe('dark');
    // The dialog asks for a style that locks scrolling, and the policy allows no inline style sheet.
    expect(console.complaints.filter((text) => !text.startsWith('Applying inline style'))).toEqual([]);
  });

  it('lets the keyboard into each editor and out of it again, as the page says', async () => {
    const console = await fixture.open();
    const { page } = console;
    await page.waitForSelector('.graphiql-query-editor .CodeMirror');
    expect(await page.textContent('.hint')).toMatch(/Esc, then Tab leaves an\s+editor/);
    const editor = (): Promise<string | undefined> =>
      page.evaluate(
        "document.activeElement.closest('section[aria-label], .graphiql-response, body').className",
      );
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.press('Tab');
    expect(await editor()).toBe('graphiql-query-editor');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    const focused = (): Promise<string> =>
      page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''");
    expect(await focused()).toContain('Execute');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate("document.activeElement.closest('.CodeMirror') === null")).toBe(true);
  });

  it.each([WIDE, NARROW])(
    'can be walked through by the keyboard alone, each control of it, and logs in on the way: $width pixels wide',
    async (viewport) => {
      const console = await fixture.open({ viewport });
      const { page } = console;
      await page.waitForSelector('.result-window textarea[aria-label]', { state: 'attached' });
      await page.evaluate(`{
        globalThis.reached = new Set();
        document.addEventListener('focusin', ({ target }) => reached.add(target));
      }`);
      const keys: Promise<void>[] = [];
      for (let steps = 0; steps < STEPS; steps += 1) {
        keys.push(page.keyboard.press('Escape'), page.keyboard.press('Tab'));
      }
      await Promise.all(keys);
      const missed =
        await page.evaluate(`[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
        .filter((control) => control.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && control.tabIndex >= 0 && !control.disabled)
        .filter((control) => !reached.has(control))
        .map((control) => control.outerHTML.slice(0, 120))`);
      expect(missed).toEqual([]);
      expect(await page.evaluate('reached.size')).toBeGreaterThan(30);

      await page.focus('#mode');
      await page.keyboard.type('Guest');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await console.says('Logged in as Guest');
    },
  );

  it('opens with the query and the variables of its address, runs nothing by itself, and gives such addresses', async () => {
    const query = 'query ($name: String!) { projectId(name: $name) }';
    const address = new URLSearchParams({ query, variables: '{"name": "Retail Sales"}' }).toString();
    const console = await fixture.open({ path: `/graphql?${address}` });
    const { page } = console;
    await logIn(console);
    expect(await page.textContent('.result-window')).not.toContain('projectId');
    await page.click('.graphiql-execute-button');
    await console.answers('projectId');
    const copied = async (): Promise<URL> => {
      await page.click('#copy-link:text-is("Copy link")');
      await page.waitForSelector('#copy-link:text-is("Copied")');
      return new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
    };
    const link = await copied();
    expect(link.pathname).toBe('/');
    expect(link.searchParams.get('query')).toBe(query);
    expect(link.searchParams.get('variables')).toBe('{"name": "Retail Sales"}');

    await console.run('mutation { login(input: {username: "demo", password: "demo"}) { expiresAt } }');
    await page.click('#copy-link:text-is("Copy link")');
    await page.waitForSelector('#copy-link:text-is("Has a secret")');
  });

  it('shows a schema without federation in its documentation, which a narrow screen has room for, and gives it as a file', async () => {
    const console = await fixture.open({ viewport: NARROW });
    const { page } = console;
    await page.click('[aria-label="Show Documentation Explorer"]');
    await page.waitForSelector('.graphiql-doc-explorer:has-text("Mutation")');
    const names = (await page.textContent('.graphiql-doc-explorer')) ?? '';
    expect(names).toContain('AuthPayload');
    expect(names).not.toMatch(/_Any|_Entity|_Service|link__|federation__|FieldSet/);
    expect(console.complaints).toEqual([]);
    expect((await page.locator('.graphiql-plugin').boundingBox())?.width).toBeGreaterThan(340);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);

    const [download] = await Promise.all([page.waitForEvent('download'), page.click('nav >> text="Schema"')]);
    expect(download.suggestedFilename()).toBe('portico.graphql');
    const schema = await readFile(await download.path(), 'utf8');
    expect(schema).toContain('type AuthPayload');
    expect(schema).not.toMatch(/_Any|_Entity|_Service|link__|federation__|FieldSet/);
  });

  it('says without JavaScript that it needs some', async () => {
    const console = await fixture.openApart({ javaScriptEnabled: false });
    expect(await console.page.isVisible('.noscript:has-text("needs JavaScript")')).toBe(true);
    await console.close();
  });

  describe.each([WIDE, NARROW])('$width pixels wide', (viewport) => {
    it.each(['light', 'dark'] as const)(
      'works, is of one color scheme and has no serious fault of its own, %s',
      async (colorScheme) => {
        const console = await fixture.open({ viewport, colorScheme });
        const { page } = console;
        await page.waitForSelector('.result-window textarea[aria-label]', { state: 'attached' });
        for (const half of ['body', '#login', '.graphiql-container']) {
          const lightness = await lightnessOf(page.locator(half));
          if (colorScheme === 'dark') expect(lightness).toBeLessThan(60);
          else expect(lightness).toBeGreaterThan(230);
        }
        // Logged out it has the same colors: each scheme once is enough there.
        if ((viewport === NARROW) === (colorScheme === 'dark')) expect(await faultsOf(page)).toEqual([]);

        const invitation = "getComputedStyle(document.querySelector('.result-window'), '::before').content";
        expect(await page.evaluate(invitation)).toContain('The answer appears here.');
        if (viewport === NARROW) await expectOnFirstScreen(page);
        await logIn(console);
        expect(await page.evaluate('document.activeElement.id')).toBe('session');
        if (viewport === NARROW) await expectOnFirstScreen(page);
        await page.click('.graphiql-execute-button');
        await console.answers('Retail Sales');
        expect(await page.evaluate(invitation)).toBe('none');
        await page.waitForSelector('#remaining:text-matches("^(30:00|29:)")');
        await page.click('.project:first-child button');
        await page.waitForSelector('.project:first-child button:text-is("Copied")');
        await page.click('#extend');
        await console.says('Extended');
        await page.focus('.result-window textarea');
        await page.keyboard.press('PageDown');
        await page.waitForFunction(
          "document.querySelector('.result-window .CodeMirror-scroll').scrollTop > 0",
        );
        await page.click('#login summary');
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
        if (viewport === NARROW) await expectStacked(page);
        expect(await faultsOf(page)).toEqual([]);
        expect([await page.locator('h1').count(), await page.locator('main').count()]).toEqual([1, 1]);
        await page.click('#logout');
        await console.says('Logged out');
        await page.waitForSelector('#login-username:focus');
      },
    );
  });
});

/** The first lines of the query. */
async function expectOnFirstScreen(page: Page): Promise<void> {
  const top = (await page.locator('.graphiql-query-editor').boundingBox())?.y;
  expect(top).toBeLessThan(NARROW.height - 100);
}

/** @returns 0 for black to 255 for white, of the ground of an element. */
function lightnessOf(element: Locator): Promise<number> {
  return element.evaluate((found) => {
    const page = globalThis as unknown as Record<
      'getComputedStyle',
      (of: unknown) => { backgroundColor: string }
    >;
    const parts = page.getComputedStyle(found).backgroundColor.match(/\d+/g) ?? [];
    return parts.slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
  });
}

/** One below the other, and none of them narrower than the page: the result was once 45 pixels wide. */
async function expectStacked(page: Page): Promise<void> {
  const boxes = await Promise.all(
    ['#session', '.graphiql-query-editor', '.graphiql-response'].map((selector) =>
      page.locator(selector).boundingBox(),
    ),
  );
  for (const box of boxes) expect(box?.width).toBeGreaterThan(340);
  const tops = boxes.map((box) => box?.y ?? 0);
  expect([...tops].sort((one, other) => one - other)).toEqual(tops);
  expect(boxes[2]?.height).toBeGreaterThan(300);
}
