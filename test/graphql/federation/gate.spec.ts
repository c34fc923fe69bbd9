import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import {
  startPlatform,
  type StartedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/start-platform.js';

const SECRET = 'CANARY-federation-secret';
const REPRESENTATION = '{ __typename: "Project", id: "X" }';
const ASKING = [
  ['_service', '{ _service { sdl } }'],
  ['_entities', `{ _entities(representations: [${REPRESENTATION}]) { __typename } }`],
  ['an alias', '{ hasSession a: _service { sdl } }'],
  ['an inline fragment', '{ ... on Query { ... { b: _service { sdl } } } }'],
  [
    'a fragment of a fragment',
    '{ ...A } fragment A on Query { ...B } fragment B on Query { _service { sdl } }',
  ],
  ['a field that is skipped', '{ hasSession _service @skip(if: true) { sdl } }'],
] as const;
const SCHEMA = ['{ __schema { types { name } } }', '{ __type(name: "Project") { fields { name } } }'];
/** Names that only a reader of the schema, or of a careless error, would know. */
const INSIDE =
  /_service|_entities|sdl|representations|projects|dateCreated|Project|hasSession|__schema|CANARY/;

type Send = (app: TestApp, query: string, headers?: Record<string, string>) => Promise<Response>;
const post: Send = (app, query, headers = {}) =>
  fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
const get: Send = (app, query, headers = {}) =>
  fetch(`${app.url}/graphql?query=${encodeURIComponent(query)}`, {
    headers: { 'apollo-require-preflight': 'yes', ...headers },
  });
const WAYS: readonly (readonly [string, Send])[] = [
  ['POST', post],
  ['GET', get],
];

async function expectRefusal(response: Response): Promise<void> {
  const text = await response.text();
  expect({ status: response.status, ...JSON.parse(text) }).toEqual({
    status: 403,
    errors: [
      {
        message: 'These fields are for the router of the graph only',
        extensions: { code: 'FORBIDDEN', retryable: false, requestId: expect.any(String) },
      },
    ],
  });
  expect(text).not.toMatch(INSIDE);
}

describe('the federation fields', () => {
  let platform: StartedPlatform;
  const apps: TestApp[] = [];
  const start = async (environment: Record<string, string>): Promise<TestApp> => {
    const app = await startApp(environment);
    apps.push(app);
    return app;
  };
  const production = (environment: Record<string, string> = {}): Promise<TestApp> =>
    start({
      NODE_ENV: 'production',
      PLATFORM_BASE_URL: platform.baseUrl,
      SESSION_KEYS: sessionKeysSetting(),
      ...environment,
    });
  beforeAll(async () => (platform = await startPlatform()));
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await platform.close();
  });

  describe('in production without a secret', () => {
    let app: TestApp;
    beforeAll(async () => (app = await production()));

    describe.each(WAYS)('asked for by %s', (_way, send) => {
      it.each(ASKING)('are refused: %s', async (_kind, query) => {
        await expectRefusal(await send(app, query));
        await expectRefusal(await send(app, query, { 'x-federation-secret': '' }));
        await expectRefusal(await send(app, query, { 'x-federation-secret': 'undefined' }));
      });

      it.each(SCHEMA)('do not give away what introspection hides: %s', async (query) => {
        const response = await send(app, query);
        const text = await response.text();
        expect({ status: response.status, ...JSON.parse(text) }).toMatchObject({
          status: 400,
          errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
        });
        expect(text.replace(/"locations":\[[^\]]*\]/, '')).not.toMatch(INSIDE);
      });

      it('leave the other fields alone', async () => {
        const response = await send(app, '{ hasSession }');
        expect(await response.json()).toEqual({ data: { hasSession: false } });
      });
    });
  });

  describe('with a secret', () => {
    let app: TestApp;
    beforeAll(async () => (app = await production({ FEDERATION_SECRET: SECRET })));

    describe.each(WAYS)('asked for by %s', (_way, send) => {
      it.each(ASKING)('are given to a caller who knows it: %s', async (_kind, query) => {
        const response = await send(app, query, { 'x-federation-secret': SECRET });
        expect(response.status).toBe(200);
        expect(await response.json()).toHaveProperty('data');
      });

      it.each(ASKING)(
        'are refused to a caller who does not know it, after they were given to another: %s',
        async (_kind, query) => {
          await send(app, query, { 'X-Federation-Secret': SECRET });
          const guesses = ['', SECRET.slice(1), `${SECRET}x`, SECRET.toLowerCase(), `${SECRET}, ${SECRET}`];
          await expectRefusal(await send(app, query));
          for (const guess of guesses)
            await expectRefusal(await send(app, query, { 'x-federation-secret': guess }));
          await expectRefusal(await send(app, query, { authorization: SECRET, x_federation_secret: SECRET }));
        },
      );
    });

    it('are refused in an operation that does not run, too', async () => {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          query: 'query A { hasSession } query B { _service { sdl } }',
          operationName: 'A',
        }),
      });
      await expectRefusal(response);
    });

    it('open nothing else: introspection stays off', async () => {
      const response = await post(app, '{ __schema { types { name } } }', { 'x-federation-secret': SECRET });
      expect(await response.json()).toMatchObject({
        errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
      });
    });
  });

  it('need the secret outside production, too, once there is one', async () => {
    const app = await start({ PLATFORM_BASE_URL: platform.baseUrl, FEDERATION_SECRET: SECRET });
    await expectRefusal(await post(app, '{ _service { sdl } }'));
    expect((await post(app, '{ _service { sdl } }', { 'x-federation-secret': SECRET })).status).toBe(200);
  });

  it('are open outside production without a secret', async () => {
    const app = await start({ PLATFORM_BASE_URL: platform.baseUrl });
    const { data } = await app.graphql('{ _service { sdl } }');
    expect(data._service.sdl).toContain('type Project @key(fields: "id")');
  });
});
