import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, type Frame, type Page } from 'playwright-core';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { startBrowser } from '../../support/console/browser.js';
import { describeInBrowser } from '../../support/console/in-browser.js';
import { type PageServer, startPageServer } from '../../support/console/page-server.js';

const LOGIN = 'mutation { login(input: { username: "demo", password: "demo" }) { expiresAt } }';
const ME = '{ me { fullName } }';
/** As a browser of today is set by default, or by its user. */
const WITHOUT_THIRD_PARTY_COOKIES = '--test-third-party-cookie-phaseout';

interface Outcome {
  readonly data: Record<string, unknown> | null | undefined;
  readonly code: string | undefined;
}

describeInBrowser('a page that another site frames, in a browser that blocks third-party cookies', () => {
  let pages: PageServer;
  let usual: Server;
  let app: TestApp;
  let lax: TestApp;
  let browser: Browser;
  let framed: string;
  beforeAll(async () => {
    pages = await startPageServer();
    // A server that sets a cookie for all sites, as it was done before.
    usual = createServer(({ headers }, response) => {
      const origin = headers.origin ?? '*';
      response.writeHead(200, {
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'set-cookie': 'usual=1; Path=/; Secure; SameSite=None',
      });
      response.end(headers.cookie ?? '');
    }).listen(0, '127.0.0.1');
    framed = `http://127.0.0.1:${pages.port}`;
    app = await startApp({ CORS_ORIGINS: framed, SESSION_COOKIE_SITE: 'none' });
    lax = await startApp({ CORS_ORIGINS: framed });
    browser = await startBrowser('--host-resolver-rules=MAP *.test 127.0.0.1', WITHOUT_THIRD_PARTY_COOKIES);
  });
  afterAll(async () => {
    await browser.close();
    usual.close();
    await Promise.all([app.close(), lax.close(), pages.close()]);
  });

  /** The page in a frame of a portal on another site. */
  const frameOn = async (page: Page, portal: string): Promise<Frame> => {
    await page.goto(`http://${portal}:${pages.port}`);
    await page.evaluate(`new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.src = ${JSON.stringify(framed)};
      frame.addEventListener('load', () => resolve());
      document.body.append(frame);
    })`);
    const frame = page.frames().find((each) => each.url().startsWith(framed));
    if (frame === undefined) throw new Error('no frame');
    return frame;
  };
  const ask = (frame: Frame, { url }: TestApp, query: string): Promise<Outcome> =>
    frame.evaluate<Outcome>(`fetch(${JSON.stringify(`${url}/graphql`)}, {
      method: 'POST',
      credentials: 'include',
      headers: { 'content-type': 'application/json' },
      body: ${JSON.stringify(JSON.stringify({ query }))},
    })
      .then((response) => response.json())
      .then(({ data, errors }) => ({ data, code: errors?.[0].extensions.code }))`);

  it('keeps its session with SESSION_COOKIE_SITE=none, in the partition of that site alone', async () => {
    const page = await browser.newPage();
    const frame = await frameOn(page, 'portal.test');
    expect((await ask(frame, app, LOGIN)).data).toMatchObject({ login: { expiresAt: expect.any(String) } });
    expect((await ask(frame, app, ME)).data).toEqual({ me: { fullName: 'Dana Demo' } });

    expect((await ask(await frameOn(page, 'other.test'), app, ME)).code).toBe('UNAUTHENTICATED');
    expect((await ask(await frameOn(page, 'portal.test'), app, ME)).data).toMatchObject({ me: {} });
    await page.close();
  });

  it('has no session by default, nor with a cookie for all sites: the browser keeps neither', async () => {
    const page = await browser.newPage();
    const frame = await frameOn(page, 'portal.test');
    expect((await ask(frame, lax, LOGIN)).data).toMatchObject({ login: {} });
    expect((await ask(frame, lax, ME)).code).toBe('UNAUTHENTICATED');

    const { port } = usual.address() as AddressInfo;
    const sent = async (from: Frame): Promise<string[]> => {
      const script = `fetch('http://127.0.0.1:${port}', { credentials: 'include' }).then((each) => each.text())`;
      return [await from.evaluate<string>(script), await from.evaluate<string>(script)];
    };
    expect(await sent(frame)).toEqual(['', '']);
    // The same page in a tab of its own keeps it.
    await page.goto(framed);
    expect(await sent(page.mainFrame())).toEqual(['', 'usual=1']);
    await page.close();
  });
});

describe('SESSION_COOKIE_SITE=none', () => {
  const ORIGIN = 'https://good.example';
  let app: TestApp;
  let cookie: string;
  beforeAll(async () => {
    app = await startApp({ CORS_ORIGINS: ORIGIN, SESSION_COOKIE_SITE: 'none' });
    const { headers } = await app.graphql(LOGIN, {
      headers: { origin: ORIGIN, 'sec-fetch-site': 'cross-site' },
    });
    const [line = ''] = headers.getSetCookie();
    expect(line).toMatch(/^__Host-portico=.*; HttpOnly; Secure; Partitioned; SameSite=None$/);
    cookie = String(line.split(';')[0]);
  });
  afterAll(() => app.close());

  it.each([
    ['of the list', { origin: ORIGIN, 'sec-fetch-site': 'cross-site' }, undefined],
    ["that is the service's own", { 'sec-fetch-site': 'same-origin' }, undefined],
    [
      'that is foreign',
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      'ORIGIN_NOT_ALLOWED',
    ],
    ['that is not named', { 'sec-fetch-site': 'cross-site' }, 'ORIGIN_NOT_ALLOWED'],
  ])(
    'answers reads with the cookie to a page of an origin %s by the rule of origins',
    async (_name, headers, reason) => {
      // Asked again, compiled code answers without Apollo.
      for (let asked = 0; asked < 3; asked += 1) {
        const { errors, data } = await app.graphql(ME, { headers: { cookie, ...headers } });
        if (reason === undefined) expect(data).toEqual({ me: { fullName: 'Dana Demo' } });
        else expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason });
      }
    },
  );

  it('asks for no origin without the cookie', async () => {
    const { data } = await app.graphql('{ hasSession }', { headers: { origin: 'https://evil.example' } });
    expect(data).toEqual({ hasSession: false });
  });
});
