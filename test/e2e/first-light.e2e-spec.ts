import { glob, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORM_OPERATIONS } from 'portico/client';
import { startApp, type TestApp } from '../support/app/start-app.js';
import { bearerHandle } from '../support/graphql/graphql-caller.js';
import { mintIdentityToken } from '../support/embedded-platform/identity-token.js';
import { startPlatform } from '../../packages/portico/test/support/embedded-platform/start-platform.js';

const LOGIN_AND_LOAD = `mutation {
  login(input: {username: "demo", password: "demo", transport: BEARER}) { handle expiresAt me { fullName } projects { id name } }
}`;

describe('a caller of the facade', () => {
  let app: TestApp;
  beforeAll(async () => (app = await startApp()));
  afterAll(() => app.close());

  it('logs in and loads a page in one round trip, looks projects up, extends, logs out, and the handle is dead', async () => {
    const login = await app.graphql(LOGIN_AND_LOAD);
    expect(login.errors).toBeUndefined();
    const { handle, me, projects, expiresAt } = login.data.login;
    expect(handle).toMatch(/^[\w-]{43}$/);
    expect(me.fullName).toEqual(expect.any(String));
    expect(projects.length).toBeGreaterThan(3);
    expect(new Date(expiresAt).getTime()).toBeGreaterThan(Date.now());

    const [{ id, name }] = projects;
    const lookUp = await app.graphql(
      'query ($name: String!, $id: ID!) { hasSession session { expiresInSeconds } known: projectId(name: $name) unknown: projectId(name: "no such project") projectIds(names: [$name]) projectsConnection(first: 1) { totalCount } project(id: $id) { name owner { name } dateCreated raw } none: project(id: "X") { id } }',
      { handle, variables: { id, name } },
    );
    expect(lookUp.errors).toBeUndefined();
    expect(lookUp.data).toMatchObject({
      hasSession: true,
      session: { expiresInSeconds: expect.any(Number) },
      known: id,
      unknown: null,
      projectIds: [id],
      projectsConnection: { totalCount: projects.length },
      project: { name, raw: { id, name } },
      none: null,
    });

    const extend = await app.graphql(
      'mutation { extend { expiresAt sessionStatus { timeoutSeconds fullName } } }',
      { handle },
    );
    expect(extend.data.extend).toEqual({
      expiresAt,
      sessionStatus: { timeoutSeconds: 1800, fullName: me.fullName },
    });

    expect((await app.graphql('mutation { logout { loggedOut } }', { handle })).data.logout).toEqual({
      loggedOut: true,
    });

    const after = await app.graphql('{ hasSession me { id } projects { id } }', { handle });
    expect(after.data).toEqual({ hasSession: false, me: null, projects: null });
    expect(after.errors?.map(({ extensions }) => extensions)).toEqual([
      expect.objectContaining({ code: 'UNAUTHENTICATED', reason: 'NO_SESSION' }),
      expect.objectContaining({ code: 'UNAUTHENTICATED', reason: 'NO_SESSION' }),
    ]);
  });

  it('can ask every query, as here, and the service calls every operation of the client, each read by a name of its own', async () => {
    const text = await readFile(new URL(import.meta.url), 'utf8');
    const { data } = await app.graphql('{ __schema { queryType { fields { name } } } }');
    const documents = text.match(/'(?:\{|query )[^']*/g)?.join() ?? '';
    const queries = (data.__schema.queryType.fields as { name: string }[]).map(({ name }) => name);
    expect(
      queries.filter((name) => !name.startsWith('_') && !new RegExp(`\\b${name}\\b[^:]`).test(documents)),
      'no test here asks them',
    ).toEqual([]);

    let source = '';
    for await (const path of glob('src/{auth,projects,session}/*.ts')) source += await readFile(path, 'utf8');
    const uncalled = PLATFORM_OPERATIONS.filter(
      ({ names }) => !names.some((name) => source.includes(`.${name}(`)),
    );
    expect(
      uncalled.map(({ names }) => names),
      'no resolver calls them',
    ).toEqual([]);

    // Concurrent reads of one name share their answer.
    const reads = [...source.matchAll(/sessions\.read\(\s*context,\s*'(\w+)'/g)].map(([, name]) => name);
    expect(reads.length).toBeGreaterThan(1);
    expect(new Set(reads).size).toBe(reads.length);
    const alike = source.matchAll(
      /sessions\.read\(\s*context,\s*'(\w+)',[^=]*=>\s*session\.\w+\((?!call\))/g,
    );
    expect(
      [...alike].map(([, name]) => name),
      'read with arguments that are not in the name',
    ).toEqual([]);
    const mutations = source
      .split(/^ {2}(?=@(?:Query|Mutation|Resolve\w+)\()/m)
      .filter((text) => text.startsWith('@Mutation'));
    expect(mutations.length).toBeGreaterThan(3);
    expect(
      mutations.filter((text) => text.includes('sessions.read(')),
      'call sessions.use',
    ).toEqual([]);
  });

  it.each([
    ['by API key', { apiKey: 'demo-api-key' }],
    ['by user name alone', { username: 'demo' }],
    ['anonymously', {}],
  ])('logs in %s', async (_mode, input) => {
    const handle = await bearerHandle(app.graphql, input);
    const { data } = await app.graphql('{ me { fullName } sessionStatus { timeoutSeconds locale raw } }', {
      handle,
    });
    expect(data.me.fullName).toEqual(expect.any(String));
    expect(data.sessionStatus).toMatchObject({ timeoutSeconds: 1800, raw: { timeout: 1800 } });
  });

  it('is told who it is not allowed to be, and no more', async () => {
    const answer = await app.graphql(
      'mutation { login(input: {username: "demo", password: "CANARY-PW-wrong"}) { handle } }',
    );
    expect(answer.status).toBe(200);
    expect(answer.data).toBeNull();
    expect(answer.errors).toEqual([
      {
        message: 'Login failed',
        path: ['login'],
        locations: expect.anything(),
        extensions: {
          code: 'UNAUTHENTICATED',
          reason: 'LOGIN_FAILED',
          ticketId: expect.stringMatching(/^[0-9a-f]{32}$/),
          platformCode: 'ERR003',
          retryable: false,
          requestId: answer.headers.get('x-request-id'),
        },
      },
    ]);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.text).not.toContain('CANARY');
  });

  it('is not logged in as somebody else when the user name of a password is missing', async () => {
    const { errors } = await app.graphql('mutation { login(input: {password: "demo"}) { handle } }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', platformCode: 'N/A' });
  });

  it('gets a cookie by default, and the handle in no answer', async () => {
    const login = await app.graphql(
      'mutation { login(input: {username: "demo", password: "demo"}) { handle me { fullName } } }',
    );
    expect(login.data.login).toMatchObject({ handle: null });
    const cookies = login.headers.getSetCookie();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^__Host-portico=[\w-]{43}; .*HttpOnly; Secure; SameSite=Lax$/);

    const cookie = String(cookies[0]?.split(';')[0]);
    expect((await app.graphql('{ hasSession }', { headers: { cookie } })).data).toEqual({ hasSession: true });

    const handle = String(cookie.split('=')[1]);
    expect((await app.graphql('{ hasSession }', { handle })).data).toEqual({ hasSession: false });

    const logout = await app.graphql('mutation { logout { loggedOut } }', {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    });
    expect(logout.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-portico=;.*1970/)]);
    expect((await app.graphql('{ hasSession }', { headers: { cookie } })).data).toEqual({
      hasSession: false,
    });
  });

  it('cannot use a bearer handle as a cookie', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'demo' });
    const answer = await app.graphql('{ hasSession }', { headers: { cookie: `__Host-portico=${handle}` } });
    expect(answer.data).toEqual({ hasSession: false });
    expect((await app.graphql('{ hasSession }', { handle })).data).toEqual({ hasSession: true });
  });

  it('ends its earlier session by a new login', async () => {
    const former = await bearerHandle(app.graphql, { username: 'demo' });
    const login = await app.graphql(
      'mutation { login(input: {username: "demo", transport: BEARER}) { handle } }',
      { handle: former },
    );
    expect(login.data.login.handle).not.toBe(former);
    expect((await app.graphql('{ hasSession }', { handle: former })).data).toEqual({ hasSession: false });
  });

  it('loses one field to one failure, and keeps its siblings', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'no-privileges', password: 'demo' });
    const { data, errors } = await app.graphql('{ me { fullName } projects { id } }', { handle });
    expect(data.projects).toBeNull();
    expect(data.me.fullName).toEqual(expect.any(String));
    expect(errors).toHaveLength(1);
  });

  it.each([
    'me { id }',
    'sessionStatus { id }',
    'projects { id }',
    'project(id: "X") { id }',
    'projectId(name: "X")',
  ])('is asked to log in before { %s }', async (field) => {
    const { data, errors } = await app.graphql(`{ ${field} }`);
    expect(Object.values(data)).toEqual([null]);
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'UNAUTHENTICATED',
      reason: 'NO_SESSION',
      platformCode: 'N/A',
    });
  });

  it('gets its own request id back, if it is well-formed', async () => {
    const own = await app.graphql('{ hasSession }', { headers: { 'x-request-id': 'page-1234-load' } });
    expect(own.headers.get('x-request-id')).toBe('page-1234-load');
    const other = await app.graphql('{ hasSession }', { headers: { 'x-request-id': 'no good; really' } });
    expect(other.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(own.headers.get('cache-control')).toBe('private, no-store');
  });

  it('can delegate by an identity token that the platform minted', async () => {
    const platform = await startPlatform();
    const facade = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
    const identityToken = await mintIdentityToken(platform.baseUrl);

    const delegate =
      'mutation ($input: DelegateInput!) { delegate(input: $input) { handle me { fullName } projects { id } } }';
    const variables = { input: { identityToken, transport: 'BEARER' } };
    const { data, errors } = await facade.graphql(delegate, { variables });
    expect(errors).toBeUndefined();
    expect(data.delegate.projects.length).toBeGreaterThan(3);

    const again = await facade.graphql(delegate, { variables });
    expect(again.errors?.[0]?.extensions).toMatchObject({ reason: 'LOGIN_FAILED', platformCode: 'ERR003' });
    await facade.close();
    await platform.close();
  });
});
