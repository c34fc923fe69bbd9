import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, type BrowserContext } from 'playwright-core';
import { composeSupergraph } from '../../../examples/federation/compose.ts';
import { type RunningSubgraph, startRatingsSubgraph } from '../../../examples/federation/ratings-subgraph.ts';
import {
  startPlatform,
  type StartedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/start-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { openContext, startBrowser } from '../../support/console/browser.js';
import { describeInBrowser } from '../../support/console/in-browser.js';
import { type PageServer, startPageServer } from '../../support/console/page-server.js';
import { type Answer, bearerHandle, type GraphQLCaller } from '../../support/graphql/graphql-caller.js';
import { APOLLO_GATEWAY, HIVE_GATEWAY, runGateway, stopGateways } from '../../support/graphql/run-gateway.js';

const SECRET = 'only-the-router-knows';
const STARTING_MS = 90_000;
const DEMO = { username: 'demo', password: 'demo' };
const LOGIN =
  'mutation ($password: String) { login(input: { username: "demo", password: $password }) { handle } }';
const RATE = 'rate(projectId: "A", stars: 4) { rating }';

describe.each([HIVE_GATEWAY, APOLLO_GATEWAY])('the shipped settings of $name', (kind) => {
  let platform: StartedPlatform;
  let pages: PageServer;
  let otherPages: PageServer;
  let portico: TestApp;
  let ratings: RunningSubgraph;
  let graphql: GraphQLCaller;
  let url: string;
  let output: () => string;
  const stars = new Map<string, number[]>();
  beforeAll(async () => {
    [platform, pages, otherPages] = await Promise.all([
      startPlatform(),
      startPageServer(),
      startPageServer(),
    ]);
    const CORS_ORIGINS = `http://127.0.0.1:${pages.port}`;
    [portico, ratings] = await Promise.all([
      startApp({
        PLATFORM_BASE_URL: platform.baseUrl,
        FEDERATION_SECRET: SECRET,
        CORS_ORIGINS,
        TRUSTED_PROXIES: '127.0.0.1',
      }),
      startRatingsSubgraph(0, stars),
    ]);
    const supergraph = await composeSupergraph({ portico: `${portico.url}/graphql`, ratings: ratings.url });
    ({ graphql, url, output } = await runGateway(kind, supergraph, {
      FEDERATION_SECRET: SECRET,
      CORS_ORIGINS,
    }));
  }, STARTING_MS);
  afterAll(async () => {
    await stopGateways();
    // One of the tests stops the first two.
    await Promise.allSettled([portico.close(), ratings.stop()]);
    await Promise.all([pages.close(), otherPages.close()]);
    await platform.close();
  });
  /** What every answer with an error keeps to. */
  const facts = ({ text, errors = [] }: Answer): unknown[] => {
    expect(text).not.toMatch(/127\.0\.0\.1|localhost|stack/i);
    return errors.map(({ extensions: { code, reason, retryable } }) => ({ code, reason, retryable }));
  };

  it('pass the address of the caller on, so that one who guesses shuts out nobody else', async () => {
    const from = async (
      localAddress: string,
      password: string,
    ): Promise<{ retryAfter?: string; code?: string }> => {
      const call = request(url, {
        method: 'POST',
        localAddress,
        headers: { 'content-type': 'application/json' },
      });
      call.end(JSON.stringify({ query: LOGIN, variables: { password } }));
      return new Promise((resolve, reject) => {
        call.once('error', reject).once('response', (response) => {
          void text(response).then((body) => {
            const { errors = [] } = JSON.parse(body) as Partial<Pick<Answer, 'errors'>>;
            resolve({
              retryAfter: response.headers['retry-after'],
              code: errors[0]?.extensions.code as string,
            });
          }, reject);
        });
      });
    };
    for (let guess = 0; guess < 10; guess += 1) {
      expect((await from('127.0.0.2', 'wrong')).code).toBe('UNAUTHENTICATED');
    }
    expect(await from('127.0.0.2', 'demo')).toEqual({
      code: 'RATE_LIMITED',
      retryAfter: expect.stringMatching(/^\d+$/),
    });
    expect((await from('127.0.0.3', 'demo')).code).toBeUndefined();
  });

  it.each([
    [
      'a limit',
      `{ ${Array.from({ length: 16 }, (_, index) => `a${index}: hasSession`).join(' ')} }`,
      { reason: 'LIMIT_EXCEEDED' },
    ],
    ['1,001 entities', '{ topRated(first: 1001) { name } }', { code: 'BAD_USER_INPUT' }],
    [
      'a value',
      'query ($n: Int!) { projectsConnection(first: $n) { totalCount } }',
      { code: 'BAD_USER_INPUT' },
    ],
    ['no session', '{ me { id } }', { code: 'UNAUTHENTICATED', reason: 'NO_SESSION' }],
  ])(
    'tell of %s by one error with code, reason and whether it may be repeated',
    async (_what, query, wanted) => {
      for (let n = 0; n < 1001; n += 1) stars.set(`P${n}`, [3]);
      const answer = await graphql(query, { variables: { n: 501 } });
      stars.clear();
      expect(facts(answer)).toEqual([{ code: 'GRAPHQL_VALIDATION_FAILED', retryable: false, ...wanted }]);
      expect(answer.text.length).toBeLessThan(50_000);
    },
  );

  it('tell of two mutations in one operation, which some routers send one by one, by one error each', async () => {
    const answer = await graphql('mutation { a: logout { loggedOut } b: logout { loggedOut } }');
    const apart = { code: 'UNAUTHENTICATED', reason: 'NO_SESSION', retryable: false };
    const together = { code: 'GRAPHQL_VALIDATION_FAILED', reason: 'LIMIT_EXCEEDED', retryable: false };
    expect(facts(answer)).toEqual(kind === HIVE_GATEWAY ? [apart, apart] : [together]);
  });

  it('keep what another subgraph has done beside a login that fails', async () => {
    const answer = await graphql(
      `mutation { before: ${RATE} login(input: { username: "demo", password: "no" }) { handle } after: ${RATE} }`,
    );
    expect(answer.data).toEqual({ before: { rating: 4 }, login: null, after: { rating: 4 } });
    expect(facts(answer)).toEqual([{ code: 'UNAUTHENTICATED', reason: 'LOGIN_FAILED', retryable: false }]);
    stars.clear();
  });

  it('tell of a session that has expired once, as what it is, wherever the operation needs it', async () => {
    for (const query of [
      '{ ratings { project { name } } }',
      '{ me { id } ratings { project { name } } }',
      '{ topRated(first: 300) { name } }',
    ]) {
      const handle = await bearerHandle(graphql, DEMO);
      stars.set('A', Array<number>(300).fill(3)).set('B', [2]);
      platform.clock.advance(1_900_000);
      const answer = await graphql(query, { handle });
      const known = facts(answer);
      expect([query, known.length, answer.text.length < 50_000, known[0]]).toEqual([
        query,
        query.includes('{ me') ? 2 : 1,
        true,
        { code: 'UNAUTHENTICATED', reason: 'SESSION_EXPIRED', retryable: false },
      ]);
      expect(known.at(-1)).toEqual(known[0]);
      stars.clear();
    }
  });

  it('give each request an id, in its answer as in its errors', async () => {
    const own = await graphql('{ me { id } }', { headers: { 'x-request-id': 'page-1234-load' } });
    expect(own.headers.get('x-request-id')).toBe('page-1234-load');
    expect(own.errors?.[0]?.extensions.requestId).toBe('page-1234-load');
    const other = await graphql('{ me { id } }');
    expect(other.headers.get('x-request-id')).toBe(other.errors?.[0]?.extensions.requestId);
  });

  describeInBrowser('in front of pages in a browser', () => {
    const LOGIN_BY_COOKIE =
      'mutation { login(input: { username: "demo", password: "demo" }) { me { fullName } } }';
    let browser: Browser;
    let context: BrowserContext;
    beforeAll(async () => {
      browser = await startBrowser();
      context = await openContext(browser);
    });
    afterAll(() => browser.close());
    /** What a page gets to read, or `blocked`. */
    const askFrom = async (
      origin: string,
      query: string,
    ): Promise<{ text: string; read: string[] } | 'blocked'> => {
      const page = await context.newPage();
      await page.goto(origin);
      const init = {
        method: 'POST',
        credentials: 'include',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      };
      const outcome = await page.evaluate<{ text: string; read: string[] } | 'blocked'>(
        `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)})
          .then(async (response) => ({ text: await response.text(), read: [...response.headers.keys()] }))
          .catch(() => 'blocked')`,
      );
      await page.close();
      return outcome;
    };

    it('let a listed one log in by cookie and read, and no other one, nor a frame without an origin', async () => {
      const listed = `http://127.0.0.1:${pages.port}`;
      const login = await askFrom(listed, LOGIN_BY_COOKIE);
      expect(login).toMatchObject({ text: expect.stringContaining('Dana Demo') });
      const me = await askFrom(listed, '{ me { fullName } }');
      expect(me).toMatchObject({
        text: expect.stringContaining('Dana Demo'),
        read: expect.arrayContaining(['date', 'x-request-id']),
      });
      const foreign = `http://127.0.0.1:${otherPages.port}`;
      for (const query of ['{ me { fullName } }', '{ projects { id } }', LOGIN_BY_COOKIE]) {
        expect(await askFrom(foreign, query)).toBe('blocked');
      }
      // A form of that page comes with the cookie, since sites do not know ports.
      const page = await context.newPage();
      await page.goto(foreign);
      const submitted = page.waitForResponse(url);
      await page.evaluate(`{
        const form = Object.assign(document.createElement('form'), { method: 'POST', action: ${JSON.stringify(url)} });
        const value = 'mutation { logout { loggedOut } }';
        form.append(Object.assign(document.createElement('input'), { name: 'query', value }));
        document.body.append(form);
        form.submit();
      }`);
      await submitted;
      // It stays open: a page that is closed on its way to another one may keep the browser waiting.
      await page.waitForURL(url);
      const answer = await graphql('{ hasSession }', { headers: { origin: 'null' } });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(await askFrom(listed, '{ me { fullName } }')).toEqual(me);
    });
  });

  it('tell of a subgraph that is down by a code and that it may be tried again, without its address', async () => {
    stars.clear();
    stars.set('A', [4]);
    await portico.close();
    const down = { code: 'UPSTREAM_UNAVAILABLE', reason: undefined, retryable: true };
    const one = await graphql('{ me { id } }');
    expect([one.data, facts(one)]).toEqual([{ me: null }, [down]]);
    const both = await graphql('{ topRated { rating name } }');
    expect([both.data, facts(both)]).toEqual([{ topRated: [{ rating: 4, name: null }] }, [down]]);
    await ratings.stop();
    const other = await graphql('{ topRated { rating } }');
    expect(facts(other)).toEqual([down]);
  });

  it('write no handle, password or secret to the log', () => {
    expect(output()).not.toMatch(/only-the-router-knows|Bearer|[\w-]{43}/);
  });
});
