import { expect, it } from '@jest/globals';
import { faultsOf } from '../../support/console/accessibility.js';
import { useConsole } from '../../support/console/console-fixture.js';
import { type ConsolePage, NARROW, openConsole, WIDE } from '../../support/console/console-page.js';
import { describeInBrowser } from '../../support/console/in-browser.js';

const KILOBYTE = 1024;

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

  it.each(['light', 'dark'] as const)('is of one color scheme, %s, in both halves', async (colorScheme) => {
    const console = await fixture.open({ colorScheme });
    const lightness = (selector: string): Promise<number> =>
      console.page.locator(selector).evaluate((element) => {
        const parts = getComputedStyle(element).backgroundColor.match(/\d+/g) ?? [];
        return parts.slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
      });
    await console.page.waitForSelector('.graphiql-container');
    for (const half of ['body', '#login', '.graphiql-container']) {
      if (colorScheme === 'dark') expect(await lightness(half)).toBeLessThan(60);
      else expect(await lightness(half)).toBeGreaterThan(230);
    }
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

  it('is stacked at 390 pixels, with the result as wide as the page and nothing beside it', async () => {
    const console = await fixture.open({ viewport: NARROW });
    const { page } = console;
    await logIn(console);
    await page.click('.graphiql-execute-button');
    await console.answers('Retail Sales');
    const boxes = await Promise.all(
      ['#session', '.graphiql-query-editor', '.graphiql-response'].map((selector) =>
        page.locator(selector).boundingBox(),
      ),
    );
    for (const box of boxes) expect(box?.width).toBeGreaterThan(340);
    const tops = boxes.map((box) => box?.y ?? 0);
    expect([...tops].sort((one, other) => one - other)).toEqual(tops);
    expect(boxes[2]?.height).toBeGreaterThan(300);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);

    await page.click('[aria-label="Show Documentation Explorer"]');
    await page.waitForSelector('.graphiql-doc-explorer');
    expect((await page.locator('.graphiql-plugin').boundingBox())?.width).toBeGreaterThan(340);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
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

  it('can be walked through by Tab alone, from its first control to its last, and logs in on the way', async () => {
    const console = await fixture.open();
    const { page } = console;
    await page.waitForSelector('.graphiql-query-editor .CodeMirror');
    const seen = new Set<string>();
    const current = (): Promise<string> =>
      page.evaluate(
        "document.activeElement.id || document.activeElement.name || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.slice(0, 20)",
      );
    for (let steps = 0; steps < 60; steps += 1) {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      seen.add(await current());
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(['copy-link', 'mode', 'login-username', 'login-password']),
    );
    expect([...seen].join()).toMatch(/demoeverything works.*Execute/);

    await page.focus('#mode');
    await page.keyboard.type('Guest');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await console.says('Logged in as Guest');
  });

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

  it('shows a schema without federation in its documentation', async () => {
    const console = await fixture.open();
    const { page } = console;
    await page.click('[aria-label="Show Documentation Explorer"]');
    await page.waitForSelector('.graphiql-doc-explorer:has-text("Mutation")');
    const names = (await page.textContent('.graphiql-doc-explorer')) ?? '';
    expect(names).toContain('AuthPayload');
    expect(names).not.toMatch(/_Any|_Entity|_Service|link__|federation__|FieldSet/);
    expect(console.complaints).toEqual([]);
  });

  it('says without JavaScript that it needs some', async () => {
    const console = await fixture.openApart({ javaScriptEnabled: false });
    expect(await console.page.isVisible('.noscript:has-text("needs JavaScript")')).toBe(true);
    await console.close();
  });

  it('has no critical or serious accessibility fault of its own: logged out and in, light and dark, wide and narrow', async () => {
    const console = await fixture.open();
    const { page } = console;
    await page.waitForSelector('.result-window textarea[aria-label]', { state: 'attached' });
    expect(await faultsOf(page)).toEqual([]);
    await logIn(console);
    await console.run('{ me { fullName } }');
    await console.answers('Dana');
    await page.click('#login summary');
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of [WIDE, NARROW]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        expect({ colorScheme, viewport, faults: await faultsOf(page) }).toEqual({
          colorScheme,
          viewport,
          faults: [],
        });
      }
    }
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('main').count()).toBe(1);
  });
});
