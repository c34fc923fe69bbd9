import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { openContext, startBrowser } from '../../support/console/browser.js';
import { describeInBrowser } from '../../support/console/in-browser.js';
import { type PageServer, startPageServer } from '../../support/console/page-server.js';
import {
  type RecordingPlatform,
  startRecordingPlatform,
} from '../../support/embedded-platform/recording-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const LOGIN = 'mutation { login(input: {username: "demo", password: "demo"}) { handle me { fullName } } }';
const LOGOUT = 'mutation { logout { loggedOut } }';

/** What a page's fetch came to. */
type Outcome = { type: string; status: number; text: string } | 'blocked';

interface FetchOptions {
  readonly mode?: 'cors' | 'no-cors';
  readonly headers?: Record<string, string>;
}

/** A script for a page: sends a document with its cookies. */
function fetchScript(url: string, query: string, options: FetchOptions): string {
  const init = { method: 'POST', credentials: 'include', body: JSON.stringify({ query }), ...options };
  return `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)})
    .then(async (response) => ({ type: response.type, status: response.status, text: await response.text() }))
    .catch(() => 'blocked')`;
}

/** A script for a page: submits a form whose one field is a GraphQL request. */
function formScript(url: string, query: string, encoding: string): string {
  return `{
    const form = document.createElement('form');
    const input = document.createElement('input');
    Object.assign(form, { method: 'POST', action: ${JSON.stringify(url)}, enctype: ${JSON.stringify(encoding)} });
    Object.assign(input, { name: ${JSON.stringify(JSON.stringify({ query }))}, value: '' });
    form.append(input);
    document.body.append(form);
    form.submit();
  }`;
}

/** A script for a page: runs another one in a frame that has no origin, and gives that origin and the outcome. */
function sandboxScript(script: string): string {
  const document = `<script>${script}.then((outcome) => parent.postMessage([origin, outcome], '*'))</script>`;
  return `new Promise((resolve) => {
    addEventListener('message', ({ data }) => resolve(data));
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.srcdoc = ${JSON.stringify(document)};
    document.body.append(frame);
  })`;
}

describeInBrowser('two origins in a browser', () => {
  let pages: PageServer;
  let otherPages: PageServer;
  let platform: RecordingPlatform;
  let app: TestApp;
  let browser: Browser;
  let context: BrowserContext;
  let endpoint: string;
  let allowed: string;
  let foreign: Readonly<Record<string, string>>;
  beforeAll(async () => {
    pages = await startPageServer();
    otherPages = await startPageServer();
    platform = await startRecordingPlatform();
    allowed = `http://127.0.0.1:${pages.port}`;
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl, CORS_ORIGINS: allowed });
    endpoint = `${app.url}/graphql`;
    foreign = {
      'the same host': `http://127.0.0.1:${otherPages.port}`,
      'a name that looks alike': `http://127.0.0.1.evil.test:${pages.port}`,
    };
    browser = await startBrowser('--host-resolver-rules=MAP *.evil.test 127.0.0.1');
    context = await openContext(browser);
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    await Promise.all([platform.close(), pages.close(), otherPages.close()]);
  });

  const json = { headers: { 'content-type': 'application/json' } };
  const tabs = new Map<string, Page>();
  /** One tab of each origin serves all tests; it is loaded anew, and what it did before is gone. */
  const open = async (origin: string): Promise<Page> => {
    const page = tabs.get(origin) ?? (await context.newPage());
    tabs.set(origin, page);
    await page.goto(origin);
    return page;
  };
  const dataFrom = async (page: Page, query: string): Promise<unknown> => {
    const outcome = await page.evaluate<Outcome>(fetchScript(endpoint, query, json));
    if (outcome === 'blocked') throw new Error('the browser blocked an allowed origin');
    return JSON.parse(outcome.text).data;
  };
  /** A page of the allowed origin whose user has logged in. */
  const loggedIn = async (): Promise<Page> => {
    const page = await open(allowed);
    expect(await dataFrom(page, LOGIN)).toMatchObject({
      login: { handle: null, me: { fullName: 'Dana Demo' } },
    });
    return page;
  };

  it('log in from the allowed one, by a cookie that scripts cannot read', async () => {
    const page = await loggedIn();
    expect(await page.evaluate('document.cookie')).toBe('');
    const cookies = await context.cookies(app.url);
    expect(cookies).toEqual([
      expect.objectContaining({
        name: '__Host-portico',
        httpOnly: true,
        secure: true,
        sameSite: 'Lax',
        path: '/',
      }),
    ]);
    expect(await dataFrom(page, '{ hasSession }')).toEqual({ hasSession: true });
    expect(await dataFrom(page, LOGOUT)).toEqual({ logout: { loggedOut: true } });
    expect(await context.cookies(app.url)).toEqual([]);
  });

  describe.each(['the same host', 'a name that looks alike'])('from another one, of %s,', (name) => {
    it.each(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])(
      'send a form as %s, and nothing comes of it',
      async (encoding) => {
        const victim = await loggedIn();
        const before = platform.calls();
        const page = await open(String(foreign[name]));
        const answered = page.waitForResponse(endpoint);
        await page.evaluate(formScript(endpoint, LOGOUT, encoding));
        expect((await answered).status()).toBe(415);
        // Else it may still be on its way there when the next test opens another page.
        await page.waitForURL(endpoint);
        expect(platform.calls()).toBe(before);
        expect(await dataFrom(victim, '{ hasSession }')).toEqual({ hasSession: true });
      },
    );

    it.each<[string, FetchOptions]>([
      ['as plain text', { mode: 'no-cors' }],
      ['said to be JSON', { mode: 'no-cors', headers: { 'content-type': 'application/json' } }],
      ['by CORS', { mode: 'cors', ...json }],
    ])('fetch %s, and nothing comes of it', async (_how, init) => {
      const victim = await loggedIn();
      const before = platform.calls();
      const page = await open(String(foreign[name]));
      for (const query of [LOGOUT, LOGIN, '{ me { fullName } }']) {
        const outcome = await page.evaluate<Outcome>(fetchScript(endpoint, query, init));
        expect(outcome === 'blocked' || (outcome.type === 'opaque' && outcome.text === '')).toBe(true);
      }
      expect(platform.calls()).toBe(before);
      expect(await dataFrom(victim, '{ hasSession }')).toEqual({ hasSession: true });
    });
  });

  it('from a frame without an origin fetch, and nothing comes of it', async () => {
    const victim = await loggedIn();
    const before = platform.calls();
    const page = await context.newPage();
    await page.goto(allowed);
    for (const options of [{ mode: 'no-cors' }, json] as const) {
      const seen = await page.evaluate(sandboxScript(fetchScript(endpoint, LOGOUT, options)));
      expect(seen).toEqual(['null', 'blocked']);
    }
    expect(platform.calls()).toBe(before);
    expect(await dataFrom(victim, '{ hasSession }')).toEqual({ hasSession: true });
    await page.close();
  });
});
