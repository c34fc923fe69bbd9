import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Browser, type BrowserContext, type Frame, type Page } from 'playwright-core';
import { type EmbeddedPlatform, startEmbeddedPlatform } from 'portico/embedded-platform';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type LoggedApp, startLoggedApp } from '../../support/app/logged-app.js';
import { faultsOf } from '../../support/console/accessibility.js';
import { openContext, startBrowser } from '../../support/console/browser.js';
import { type EmbeddingExample, startEmbeddingExample } from '../../support/console/embedding-example.js';
import { describeInBrowser } from '../../support/console/in-browser.js';
import { type PageServer, startPageServer } from '../../support/console/page-server.js';

/** What a page sent and kept: everywhere where a token could have been left. */
interface Traces {
  readonly addresses: string[];
  readonly headers: string[];
  readonly said: string[];
  /** Bodies of requests that hold a GraphQL document. */
  readonly asked: { readonly url: string; readonly body: string }[];
}

const MINTS = 'identityToken { token }';
const JOINS = 'delegate(input: $input)';

describeInBrowser('the embedding example', () => {
  let platform: EmbeddedPlatform;
  let services: LoggedApp[];
  let example: EmbeddingExample;
  let stranger: PageServer;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const traces: Traces = { addresses: [], headers: [], said: [], asked: [] };
  const minted: string[] = [];
  beforeAll(async () => {
    platform = await startEmbeddedPlatform();
    const settings = { PLATFORM_BASE_URL: platform.baseUrl, LOG_LEVEL: 'trace' };
    services = await Promise.all([
      // Only who lends a session needs the setting.
      startLoggedApp({ ...settings, IDENTITY_TOKENS: 'true' }),
      startLoggedApp(settings),
    ]);
    const [portal, reports] = services;
    example = await startEmbeddingExample(portal?.url ?? '', reports?.url ?? '');
    stranger = await startPageServer();
    browser = await startBrowser();
    context = await openContext(browser);
    context.on('request', (request) => {
      traces.addresses.push(request.url());
      traces.headers.push(JSON.stringify(request.headers()));
      const body = request.postData();
      if (body !== null) traces.asked.push({ url: request.url(), body });
    });
    context.on('console', (message) => traces.said.push(message.text()));
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser.close();
    await example.stop();
    await Promise.all(services.map((service) => service.close()));
    await Promise.all([platform.close(), stranger.close()]);
  });
  beforeEach(async () => {
    for (const other of context.pages()) if (other !== page) await other.close();
    await page.unrouteAll();
    await page.goto('about:blank');
    await context.clearCookies();
    for (const kind of Object.values(traces)) kind.length = 0;
    minted.length = 0;
  });

  const logIn = async (username = 'demo'): Promise<void> => {
    await page.goto(example.portal);
    await page.fill('[name=username]', username);
    await page.fill('[name=password]', 'demo');
    const answered = page.waitForResponse(
      (response) => response.request().postData()?.includes(MINTS) === true,
    );
    await page.click('text="Log in"');
    const answer = await (await answered).json();
    minted.push(answer.data.identityToken.token);
  };
  const reportsFrame = (): Frame => {
    const frame = page.frames().find((candidate) => candidate.url().startsWith(example.reports));
    if (frame === undefined) throw new Error('the portal shows no reports');
    return frame;
  };
  const reportsSay = async (text: string): Promise<void> => {
    await page
      .frameLocator('iframe')
      .locator(`#status:has-text(${JSON.stringify(text)})`)
      .waitFor();
  };
  const asked = (part: string): number => traces.asked.filter(({ body }) => body.includes(part)).length;
  /** A page of another origin opens one of the example's, which then says this, and sends it a message. */
  const sendFromStranger = async (address: string, shows: string, message: object): Promise<Page> => {
    const from = await context.newPage();
    await from.goto(`http://127.0.0.1:${stranger.port}`);
    const opened = context.waitForEvent('page');
    await from.evaluate(`globalThis.target = open(${JSON.stringify(address)}); 0`);
    const target = await opened;
    await target.waitForSelector(`#status:has-text(${JSON.stringify(shows)})`);
    if (address === example.portal) await target.frameLocator('iframe').locator('li').first().waitFor();
    traces.asked.length = 0;
    const arrived = target.evaluate(
      "new Promise((resolve) => addEventListener('message', () => resolve(fetch('/settings.json').then(() => 1))))",
    );
    await target.evaluate('0');
    await from.evaluate(`target.postMessage(${JSON.stringify(message)}, '*')`);
    // The page's own listener came first, and what it may have sent went out before this.
    expect(await arrived).toBe(1);
    return from;
  };

  it('shows the projects of the portal’s user in a page of another instance and another site', async () => {
    await logIn();
    await reportsSay('The projects of Dana Demo');
    expect(await page.textContent('#status')).toBe('Dana Demo');
    expect(await reportsFrame().locator('li').allTextContents()).toContain('Retail Sales');
    expect({ minted: asked(MINTS), joined: asked(JOINS) }).toEqual({ minted: 1, joined: 1 });
    expect(traces.asked.find(({ body }) => body.includes(JOINS))?.url).toBe(`${example.reports}/graphql`);
    expect(new URL(example.portal).hostname).not.toBe(new URL(example.reports).hostname);
    // The frame's session is its own: no cookie, and one more handle.
    expect(await context.cookies(example.reports)).toEqual([]);
    await reportsFrame().click('#check');
    await reportsSay('Still the projects of Dana Demo');
  });

  it('leaves the token in no address, header, storage, page, history, message or log', async () => {
    await logIn();
    await reportsSay('The projects of Dana Demo');
    const [token = ''] = minted;
    expect(token).toMatch(/^\S{16,}$/);
    const kept = await Promise.all(
      page.frames().map((frame) =>
        frame.evaluate(
          // In a frame of another site the browser may refuse a storage altogether.
          `(async () => JSON.stringify([
            await Promise.all([() => ({ ...localStorage }), () => ({ ...sessionStorage }), () => indexedDB.databases()]
              .map((read) => Promise.resolve().then(read).catch(({ name }) => name))),
            document.cookie, location.href, document.referrer, history.state, window.name,
            document.documentElement.outerHTML,
          ]))()`,
        ),
      ),
    );
    const events = ['"event":"identity_token"', '"event":"delegate"'];
    await eventually(() => events.every((event, n) => services[n]?.output().includes(event)));
    const logged = [...services.map((service) => service.output()), example.output()];
    const places = { ...traces, asked: [], kept, logged, cookies: await context.cookies() };
    for (const [place, content] of Object.entries(places)) {
      expect({ place, hasToken: JSON.stringify(content).includes(token) }).toEqual({
        place,
        hasToken: false,
      });
    }
    expect(traces.asked.filter(({ body }) => body.includes(token))).toHaveLength(1);
  });

  it('uses a token once, and makes another one when the frame is loaded anew', async () => {
    await logIn();
    await reportsSay('The projects of Dana Demo');
    const replay = await services[1]?.graphql(
      'mutation ($token: String!) { delegate(input: { identityToken: $token }) { handle } }',
      { variables: { token: minted[0] } },
    );
    expect(replay?.errors?.[0]?.extensions.reason).toBe('LOGIN_FAILED');
    await reportsFrame().evaluate('location.reload()');
    await page.waitForResponse((response) => response.request().postData()?.includes(JOINS) === true);
    await reportsSay('The projects of Dana Demo');
    expect({ minted: asked(MINTS), joined: asked(JOINS) }).toEqual({ minted: 2, joined: 2 });
  });

  it('ends with the portal’s session', async () => {
    await logIn();
    await reportsSay('The projects of Dana Demo');
    const logout = `fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'mutation { logout { loggedOut } }' }),
    }).then((response) => response.json())`;
    expect(await page.evaluate(logout)).toEqual({ data: { logout: { loggedOut: true } } });
    await reportsFrame().click('#check');
    await reportsSay('The session is invalid or has timed out');
  });

  it('goes with its page when the user logs out', async () => {
    await logIn();
    await reportsSay('The projects of Dana Demo');
    await page.click('text="Log out"');
    await page.waitForSelector('#login');
    expect(page.frames().map((frame) => frame.url())).toEqual([`${example.portal}/`, 'about:blank']);
  });

  it('gives no token to a page of another origin that asks for one', async () => {
    await logIn();
    await reportsSay('The projects of Dana Demo');
    await sendFromStranger(example.portal, 'Dana Demo', { type: 'token-wanted' });
    expect(asked(MINTS)).toBe(0);
  });

  it('takes no token from a page of another origin, and is not shown in its frame', async () => {
    const message = { type: 'token', token: 'of-a-stranger' };
    const from = await sendFromStranger(example.reports, 'shown by the portal', message);
    expect(asked(JOINS)).toBe(0);
    const refused = from.waitForEvent('console', (line) => line.text().includes('frame-ancestors'));
    await from.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(example.reports)} }))`,
    );
    await refused;
    expect(traces.asked).toEqual([]);
  });

  it('says why there are no reports, where the session cannot be lent or a login failed', async () => {
    await page.goto(example.portal);
    await page.fill('[name=username]', 'nobody');
    await page.click('text="Log in"');
    await page.waitForSelector('#status:has-text("Login failed")');
    await page.fill('[name=username]', 'demo');
    await page.fill('[name=password]', 'demo');
    await page.route('**/graphql', async (route) => {
      const isMint = route.request().postData()?.includes(MINTS) === true;
      // As the instance beside it would answer, where identity tokens are off.
      await (isMint ? route.continue({ url: `${services[1]?.url ?? ''}/graphql` }) : route.continue());
    });
    await page.click('text="Log in"');
    await page.waitForSelector('#status:has-text("The reports cannot join")');
    expect(await page.frameLocator('iframe').locator('#status').textContent()).toContain('Waiting');
  });

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('fits %i pixels and has no serious fault, %s', async (width, colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    await logIn();
    await reportsSay('The projects of Dana Demo');
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });
});
