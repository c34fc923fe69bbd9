import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const SECRET = 'only-the-router-knows';

describe('what routers send beside their queries', () => {
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
  ])('the wish for a trace is ignored, and the platform does not hear of it: %s', async (query) => {
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
  ])('the wish for an answer in parts is refused by one error, at %s', async (_where, query) => {
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
