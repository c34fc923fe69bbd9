import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { tempFolder } from '../../support/temp-folder.js';

const SECRET = 'only-the-router-knows';
/** From then on a query is compiled, and answered by its text. */
const UNTIL_REPEATED = 12;

describe('the wish that a router sends beside its query', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  let handle: string;
  beforeAll(async () => {
    platform = await startScriptedPlatform({
      'POST auth/login': { status: 204, headers: { 'x-svc-authtoken': 'token-of-a-user' } },
      'POST auth/logout': { status: 204 },
      'GET projects': { status: 200, body: [{ id: 'A', name: 'One', status: 0 }] },
    });
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl, FEDERATION_SECRET: SECRET });
    handle = await bearerHandle(app.graphql, { username: 'demo', password: 'demo' });
  });
  afterAll(() => app.close());

  it.each([
    '{ projects { id } }',
    '{ _entities(representations: [{ __typename: "Project", id: "A" }]) { __typename } }',
  ])('for a trace is ignored, and the platform does not hear of it: %s', async (query) => {
    const headers = {
      'apollo-federation-include-trace': 'ftv1',
      'apollo-query-plan-experimental': '1',
      'x-federation-secret': SECRET,
    };
    const { status, text, headers: answered } = await app.graphql(query, { handle, headers });
    expect(status).toBe(200);
    expect(Object.keys(JSON.parse(text))).toEqual(['data']);
    expect([...answered.keys()].join()).not.toMatch(/apollo|trace/);
    const sent = platform.requests.flatMap((request) => Object.keys(request.headers)).join();
    expect(sent).not.toMatch(/apollo|trace|federation/);
  });

  it.each([
    [
      'a fragment',
      '{ projects { id ... @defer { name } } hasSession ... @defer(label: "b") { hasSession } }',
    ],
    ['a spread', '{ ...P @defer } fragment P on Query { hasSession }'],
    ['a list', '{ projects @stream(initialCount: 1) { id } }'],
  ])('for an answer in parts is refused by one error, at %s', async (_where, query) => {
    for (const accept of ['application/json', 'multipart/mixed; deferSpec=20220824, application/json']) {
      const { text } = await app.graphql(query, { handle, headers: { accept } });
      expect(JSON.parse(text)).toEqual({
        errors: [
          {
            message: '@defer and @stream are not supported: the answer comes as a whole',
            extensions: expect.objectContaining({ code: 'GRAPHQL_VALIDATION_FAILED', retryable: false }),
          },
        ],
      });
    }
  });
});

describe('a router that shows its secret', () => {
  const ROUTER = { 'x-federation-secret': SECRET };
  const PAGE = 'https://dashboard.example';
  const NEW_FORM = { accept: 'application/graphql-response+json' };
  let app: TestApp;
  beforeAll(async () => (app = await startApp({ FEDERATION_SECRET: SECRET, CORS_ORIGINS: PAGE })));
  afterAll(() => app.close());
  const cookieOf = ({ headers }: { headers: Headers }): string =>
    headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const logIn = async (): Promise<string> =>
    cookieOf(
      await app.graphql('mutation { login(input: { username: "demo", password: "demo" }) { handle } }', {
        headers: { origin: PAGE },
      }),
    );

  it.each([
    [
      'two mutations',
      'mutation { a: logout { loggedOut } b: logout { loggedOut } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['more than a limit allows', `{ ${'a '.repeat(1200)} }`, 'GRAPHQL_PARSE_FAILED'],
    [
      'too many root fields',
      `{ ${Array.from({ length: 16 }, (_, index) => `a${index}: hasSession`).join(' ')} }`,
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['an unknown field', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a missing variable', 'query ($id: ID!) { project(id: $id) { id } }', 'BAD_USER_INPUT'],
    ['a subscription', 'subscription { hasSession }', 'GRAPHQL_VALIDATION_FAILED'],
  ])(
    'gets 200 and one error with its code for %s; others get the status of it',
    async (_what, query, code) => {
      const own = await app.graphql(query, { headers: { ...NEW_FORM, ...ROUTER } });
      expect([own.status, own.errors?.map(({ extensions }) => extensions.code)]).toEqual([200, [code]]);
      expect((await app.graphql(query, { headers: NEW_FORM })).status).toBe(400);
      const guess = { ...NEW_FORM, 'x-federation-secret': 'a guess that is wrong' };
      expect((await app.graphql(query, { headers: guess })).status).toBe(400);
    },
  );

  it('gets 200 for a mutation from a page that is not listed, which is refused as before', async () => {
    const headers = { origin: 'https://foreign.example' };
    const logout = 'mutation { logout { loggedOut } }';
    expect((await app.graphql(logout, { headers })).status).toBe(403);
    const { status, errors } = await app.graphql(logout, { headers: { ...headers, ...ROUTER } });
    expect([status, errors?.[0]?.extensions.reason]).toEqual([200, 'ORIGIN_NOT_ALLOWED']);
  });

  it.each(['{ me { id } }', '{ session { expiresAt } }', 'mutation { extend { expiresAt } }'])(
    'is not told to clear a cookie that opens nothing, unlike a browser: %s',
    async (query) => {
      for (const cookie of [`__Host-portico=${'A'.repeat(43)}`, '__Host-portico=malformed']) {
        const headers = { cookie, origin: PAGE };
        expect((await app.graphql(query, { headers })).headers.getSetCookie()).toHaveLength(1);
        const answer = await app.graphql(query, { headers: { ...headers, ...ROUTER } });
        expect(answer.headers.getSetCookie()).toEqual([]);
      }
    },
  );

  it('is told to set a cookie by a login, and to clear it by the logout of its session', async () => {
    const headers = { cookie: await logIn(), origin: PAGE, ...ROUTER };
    const again = await app.graphql('mutation { login(input: {}) { handle } }', { headers });
    expect(cookieOf(again)).toMatch(/^__Host-portico=[\w-]{43}$/);
    const logout = 'mutation { logout { loggedOut } }';
    // The login has ended the session of the old cookie.
    expect((await app.graphql(logout, { headers })).headers.getSetCookie()).toEqual([]);
    const last = await app.graphql(logout, { headers: { ...headers, cookie: cookieOf(again) } });
    expect(last.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-portico=;/)]);
  });

  it('is not held to the list of allowed documents; others are, even to what a router has often asked for', async () => {
    const folder = await tempFolder();
    const documents = join(folder.path, 'documents');
    await mkdir(documents);
    await writeFile(join(documents, 'one.graphql'), '{ hasSession }');
    const strict = await startApp({ FEDERATION_SECRET: SECRET, PERSISTED_DOCUMENTS: documents });
    for (const query of [
      '{ _service { sdl } }',
      '{ _entities(representations: [{ __typename: "Project", id: "A" }]) { __typename } }',
      '{ session { expiresAt } }',
    ]) {
      for (let time = 0; time < UNTIL_REPEATED; time += 1) {
        expect((await strict.graphql(query, { headers: ROUTER })).data).toBeDefined();
      }
      const { errors } = await strict.graphql(query);
      expect(errors?.[0]?.extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND');
    }
    await strict.close();
    await folder.remove();
  });
});
