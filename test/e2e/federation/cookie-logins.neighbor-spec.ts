import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeSupergraph } from '../../../examples/federation/compose.ts';
import { type RunningSubgraph, startRatingsSubgraph } from '../../../examples/federation/ratings-subgraph.ts';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';
import { bearerHandle, type GraphQLCaller } from '../../support/graphql/graphql-caller.js';
import { APOLLO_GATEWAY, HIVE_GATEWAY, runGateway, stopGateways } from '../../support/graphql/run-gateway.js';

const SECRET = 'only-the-router-knows';
const PAGE = 'https://dashboard.example';
/** `COOKIE_LOGINS=5000 npm test -- test/e2e/federation/cookie-logins` sends that many. */
const LOGINS = Number(process.env.COOKIE_LOGINS ?? 60);
const AT_ONCE = 20;
const STARTING_MS = 90_000;
const OLD_COOKIES = ['live', 'expired', 'of another user'] as const;
const LOGIN = 'login(input: { username: $user, password: "any" })';
/** Operations whose later steps ask Portico again, with the cookie that the browser had before. */
const OPERATIONS = [
  `mutation ($user: String!, $id: ID!) { ${LOGIN} { me { id } } rate(projectId: $id, stars: 3) { name } }`,
  `mutation ($user: String!) { ${LOGIN} { projects { id ratings { project { name } } } } }`,
  `mutation ($user: String!, $id: ID!) { logout { loggedOut } rate(projectId: $id, stars: 3) { rating } ${LOGIN} { handle } }`,
  `mutation ($user: String!, $id: ID!) { ${LOGIN} { handle } rate(projectId: $id, stars: 3) { rating } logout { loggedOut } }`,
];

interface Browser {
  readonly user: string;
  readonly address: string;
  readonly operation: string;
  cookie: string | undefined;
}

describe.each([HIVE_GATEWAY, APOLLO_GATEWAY])('behind $name', (kind) => {
  let platform: UserPlatform;
  let portico: TestApp;
  let ratings: RunningSubgraph;
  let graphql: GraphQLCaller;
  beforeAll(async () => {
    platform = await startUserPlatform({ forgetsRequests: true });
    [portico, ratings] = await Promise.all([
      startApp({
        PLATFORM_BASE_URL: platform.baseUrl,
        FEDERATION_SECRET: SECRET,
        CORS_ORIGINS: PAGE,
        TRUSTED_PROXIES: 'loopback',
        MAX_IN_FLIGHT_PER_SESSION: '1',
      }),
      startRatingsSubgraph(0),
    ]);
    const supergraph = await composeSupergraph({ portico: `${portico.url}/graphql`, ratings: ratings.url });
    ({ graphql } = await runGateway(kind, supergraph, { FEDERATION_SECRET: SECRET }));
  }, STARTING_MS);
  afterAll(async () => {
    await stopGateways();
    await Promise.all([portico.close(), ratings.stop()]);
  });

  /** As a browser does: of several cookies of one name, the last one counts. */
  const send = async (browser: Browser, query: string, user = browser.user): Promise<string | undefined> => {
    const { cookie, address } = browser;
    const headers = { origin: PAGE, 'x-forwarded-for': address, ...(cookie !== undefined && { cookie }) };
    const {
      data,
      headers: answered,
      errors,
    } = await graphql(query, {
      headers,
      variables: query.includes('$id') ? { user, id: user } : query.includes('$user') ? { user } : {},
    });
    if (data?.login === null) throw new Error(JSON.stringify(errors));
    for (const set of answered.getSetCookie()) {
      const [pair = ''] = set.split(';');
      browser.cookie = pair.endsWith('=') ? undefined : pair;
    }
    return data?.me?.id as string | undefined;
  };
  const each = async (
    browsers: readonly Browser[],
    work: (browser: Browser) => Promise<unknown>,
  ): Promise<void> => {
    const waiting = [...browsers];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await work(next);
      }),
    );
  };

  it(
    `${LOGINS} browsers with an old cookie log in: none is logged out by its own login, and none is another user`,
    async () => {
      const browsers = Array.from({ length: LOGINS }, (_, index): Browser & { old: string } => ({
        user: `user ${index}`,
        address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
        operation: OPERATIONS[Math.floor(index / OLD_COOKIES.length) % OPERATIONS.length] ?? '',
        old: OLD_COOKIES[index % OLD_COOKIES.length] ?? '',
        cookie: undefined,
      }));
      const first = `mutation ($user: String!) { ${LOGIN} { handle } }`;
      const having = (old: string): Browser[] => browsers.filter((browser) => browser.old === old);
      await each(having('expired'), (browser) => send(browser, first));
      platform.endSessions();
      await each(having('live'), (browser) => send(browser, first));
      await each(having('of another user'), (browser) => send(browser, first, `other ${browser.user}`));

      const figures = { 'logged in': 0, 'logged out': 0, mixed: 0 };
      await each(browsers, async (browser) => {
        const old = browser.cookie;
        await send(browser, browser.operation);
        const me =
          browser.cookie === undefined || browser.cookie === old
            ? undefined
            : await send(browser, '{ me { id } }');
        if (me === undefined) figures['logged out'] += 1;
        else if (me === browser.user) figures['logged in'] += 1;
        else figures.mixed += 1;
      });
      expect(figures).toEqual({ 'logged in': LOGINS, 'logged out': 0, mixed: 0 });
    },
    60_000 + LOGINS * 100,
  );

  it('a request beyond what the instance takes is OVERLOADED, retryable, and says when to try again', async () => {
    const handle = await bearerHandle(graphql, { username: 'busy' });
    let isHeld = false;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    platform.before('GET sessions/userInfo', () => {
      isHeld = true;
      return held;
    });
    const first = graphql('{ me { id } }', { handle });
    await eventually(() => isHeld);
    const { data, errors, headers, text } = await graphql('{ projects { id } }', { handle });
    release();
    expect(data).toEqual({ projects: null });
    expect(
      errors?.map(({ extensions: { code, reason, retryable, retryAfter } }) => ({
        code,
        reason,
        retryable,
        retryAfter,
      })),
    ).toEqual([{ code: 'OVERLOADED', reason: 'SESSION_BUSY', retryable: true, retryAfter: 1 }]);
    expect(headers.get('retry-after')).toBe('1');
    expect(text).not.toContain('127.0.0.1');
    expect((await first).data).toEqual({ me: { id: 'busy' } });
  });
});
