import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeSupergraph } from '../../../examples/federation/compose.ts';
import { type RunningSubgraph, startRatingsSubgraph } from '../../../examples/federation/ratings-subgraph.ts';
import { bearerHandle, type GraphQLCaller } from '../../support/graphql/graphql-caller.js';
import {
  type CountedPlatform,
  startCountedPlatform,
} from '../../support/embedded-platform/platform-call-counter.js';
import { APOLLO_GATEWAY, HIVE_GATEWAY, runGateway, stopGateways } from '../../support/graphql/run-gateway.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const SECRET = 'only-the-router-knows';
const PAGE = 'https://dashboard.example';
const SESSION_HEADER = 'x-portico-session';
const STARTING_MS = 90_000;
const DEMO = { username: 'demo', password: 'demo' };

describe.each([HIVE_GATEWAY, APOLLO_GATEWAY])('a graph with Portico behind $name', (kind) => {
  let platform: CountedPlatform;
  let portico: TestApp;
  let ratings: RunningSubgraph;
  let graphql: GraphQLCaller;
  let output: () => string;
  const stars = new Map<string, number[]>();
  beforeAll(async () => {
    platform = await startCountedPlatform();
    [portico, ratings] = await Promise.all([
      startApp({
        PLATFORM_BASE_URL: platform.baseUrl,
        FEDERATION_SECRET: SECRET,
        SESSION_HEADER,
        CORS_ORIGINS: PAGE,
        FEDERATION_MAX_REPRESENTATIONS: '5000',
      }),
      startRatingsSubgraph(0, stars),
    ]);
    const supergraph = await composeSupergraph({ portico: `${portico.url}/graphql`, ratings: ratings.url });
    ({ graphql, output } = await runGateway(kind, supergraph, { FEDERATION_SECRET: SECRET, SESSION_HEADER }));
  }, STARTING_MS);
  afterAll(async () => {
    await stopGateways();
    await Promise.all([portico.close(), ratings.stop()]);
    await platform.close();
  });
  const as = (handle: string): { headers: Record<string, string> } => ({
    headers: { [SESSION_HEADER]: `Bearer ${handle}`, authorization: "Bearer the-router's-own-token" },
  });

  it('logs in with the handle in the payload, joins in both directions, and logs out', async () => {
    const login = await graphql(
      'mutation { login(input: {username: "demo", password: "demo", transport: BEARER}) { handle me { fullName } projects { id name rating } } }',
    );
    expect(login.errors).toBeUndefined();
    const { handle, projects } = login.data.login;
    expect(handle).toMatch(/^[\w-]{43}$/);
    const [first, second] = projects;
    expect(first).toMatchObject({ rating: null });

    const rate =
      'mutation ($id: ID!, $stars: Int!) { rate(projectId: $id, stars: $stars) { id name rating } }';
    const best = await graphql(rate, { ...as(handle), variables: { id: second.id, stars: 5 } });
    expect(best.data.rate).toEqual({ id: second.id, name: second.name, rating: 5 });
    await graphql(rate, { ...as(handle), variables: { id: first.id, stars: 2 } });
    await graphql(rate, { ...as(handle), variables: { id: 'unknown to the platform', stars: 1 } });

    platform.calls();
    const { data, errors } = await graphql(
      '{ topRated { rating name owner { name } } projects { name rating } me { fullName } }',
      as(handle),
    );
    expect(data.topRated).toEqual([
      { rating: 5, name: second.name, owner: { name: expect.any(String) } },
      { rating: 2, name: first.name, owner: { name: expect.any(String) } },
      { rating: 1, name: null, owner: null },
    ]);
    expect(errors).toBeUndefined();
    expect(data.projects).toHaveLength(projects.length);
    expect(data.projects[0]).toEqual({ name: first.name, rating: 2 });
    expect(data.projects[1]).toEqual({ name: second.name, rating: 5 });
    expect(data.me).toEqual(login.data.login.me);
    // One for the root fields, one for the entities, each an operation of the gateway; or one for both if they meet.
    const { 'GET projects': projectCalls, ...others } = platform.calls();
    expect([1, 2]).toContain(projectCalls);
    expect(others).toEqual({ 'GET sessions/userInfo': 1 });

    const logout = await graphql('mutation { logout { loggedOut } }', as(handle));
    expect(logout.data).toEqual({ logout: { loggedOut: true } });
    const after = await graphql('{ hasSession me { id } }', as(handle));
    expect(after.data).toEqual({ hasSession: false, me: null });
    expect(after.errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'NO_SESSION' });
  });

  it('joins 5,000 projects with their ratings for one GET projects, in both directions', async () => {
    const handle = await bearerHandle(graphql, { username: 'many-projects', password: 'demo' });
    platform.calls();
    const { data, errors } = await graphql('{ projects { id name rating } }', as(handle));
    expect(errors).toBeUndefined();
    expect(platform.calls()).toEqual({ 'GET projects': 1 });
    const projects = data.projects as { id: string; name: string }[];
    expect(projects).toHaveLength(5000);

    stars.clear();
    for (const { id } of projects) stars.set(id, [4]);
    const rated = await graphql('{ topRated(first: 5000) { id name rating } }', as(handle));
    expect(rated.errors).toBeUndefined();
    expect(rated.data.topRated).toEqual(projects.map(({ id, name }) => ({ id, name, rating: 4 })));
    expect(platform.calls()).toEqual({ 'GET projects': 1 });
    stars.clear();
  });

  it('loses no rating where Portico fails, and tells of it once', async () => {
    stars.set('A', [5]).set('B', [4]);
    for (const [handle, code] of [
      ['', 'UNAUTHENTICATED'],
      [await bearerHandle(graphql, { username: 'no-privileges', password: 'demo' }), 'FORBIDDEN'],
    ] as const) {
      const { data, errors } = await graphql('{ topRated { id rating name } }', as(handle));
      expect(data.topRated).toEqual([
        { id: 'A', rating: 5, name: null },
        { id: 'B', rating: 4, name: null },
      ]);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual([code]);
    }
    stars.clear();
  });

  it('tells a platform error with its code and all that is known of it', async () => {
    const handle = await bearerHandle(graphql, { username: 'no-privileges', password: 'demo' });
    const { data, errors } = await graphql('{ me { fullName } projects { id rating } }', as(handle));
    expect(data).toEqual({ me: { fullName: expect.any(String) }, projects: null });
    expect(errors).toHaveLength(1);
    expect(errors?.[0]).toMatchObject({
      path: ['projects'],
      extensions: {
        code: 'FORBIDDEN',
        platformCode: 'ERR014',
        platformStatus: 403,
        retryable: false,
        requestId: expect.any(String),
      },
    });
    expect(JSON.stringify(errors)).not.toContain('stack');
  });

  it('carries a cookie to the browser and back, and drops it at logout', async () => {
    const login = await graphql(
      'mutation { login(input: {username: "demo", password: "demo"}) { handle } }',
      { headers: { origin: PAGE } },
    );
    expect(login.data).toEqual({ login: { handle: null } });
    const [setCookie = ''] = login.headers.getSetCookie();
    expect(setCookie).toMatch(/^__Host-portico=[\w-]{43}; .*HttpOnly/);
    const headers = { cookie: setCookie.split(';')[0] ?? '', origin: PAGE };

    const { data } = await graphql('{ hasSession me { fullName } }', { headers });
    expect(data).toMatchObject({ hasSession: true, me: { fullName: expect.any(String) } });
    const logout = await graphql('mutation { logout { loggedOut } }', { headers });
    expect(logout.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-portico=;/)]);
    expect((await graphql('{ hasSession }', { headers })).data).toEqual({ hasSession: false });
  });

  it('passes the request id on, and the session by no other header', async () => {
    const handle = await bearerHandle(graphql, DEMO);
    const { errors } = await graphql('{ me { id } }', { headers: { 'x-request-id': 'page-1234-load' } });
    expect(errors?.[0]?.extensions).toMatchObject({ requestId: 'page-1234-load', code: 'UNAUTHENTICATED' });
    expect((await graphql('{ hasSession }', { handle })).data).toEqual({ hasSession: false });
    expect((await graphql('{ hasSession }', as(handle))).data).toEqual({ hasSession: true });
  });

  it('never mixes two users who ask the same at once', async () => {
    const users = ['demo', 'many-projects'];
    const handles = await Promise.all(
      users.map((username) => bearerHandle(graphql, { username, password: 'demo' })),
    );
    const query = '{ me { fullName } sessionStatus { fullName } }';
    const alone: unknown[] = [];
    for (const handle of handles) alone.push((await graphql(query, as(handle))).data);
    expect(alone[0]).not.toEqual(alone[1]);
    platform.calls();

    const callers = Array.from({ length: 60 }, (_, index) => index % 2);
    const answers = await Promise.all(callers.map((user) => graphql(query, as(handles[user] ?? ''))));
    expect(answers.map(({ data }) => data as unknown)).toEqual(callers.map((user) => alone[user]));
    const calls = platform.calls()['GET sessions/userInfo'];
    // Hive Gateway shares requests of one user that are alike, and so does Portico: each user is asked for, not each time.
    expect(calls).toBeGreaterThanOrEqual(users.length);
    expect(calls).toBeLessThan(callers.length);
  });

  it('is the only way to the entities', async () => {
    const ask = '{ _entities(representations: [{ __typename: "Project", id: "X" }]) { __typename } }';
    expect((await portico.graphql(ask)).status).toBe(403);
    const { errors } = await graphql(ask);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
  });

  it('writes no handle, password or secret to its log', () => {
    expect(output()).not.toMatch(/only-the-router-knows|Bearer|[\w-]{43}/);
  });
});
