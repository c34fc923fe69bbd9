import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCanaries } from '../../../packages/portico/test/support/secrets/canaries.js';
import { type Answer } from '../../support/graphql/graphql-caller.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { handle } }';

describe('a mistake in a request', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  beforeAll(async () => {
    platform = await startScriptedPlatform({});
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
  });
  afterAll(() => app.close());

  it.each<[string, string, string, Record<string, unknown>?]>([
    [
      '{ prjects { id } }',
      'GRAPHQL_VALIDATION_FAILED',
      'Type "Query" has no such field; did you mean "projects", "project", "projectId", or "projectIds"?',
    ],
    [
      '{ hasSession { id } }',
      'GRAPHQL_VALIDATION_FAILED',
      'Field "hasSession" of type "Boolean!" has no fields to select',
    ],
    ['{ me }', 'GRAPHQL_VALIDATION_FAILED', 'Field "me" of type "User" needs a selection of its fields'],
    [
      '{ project(idd: "1", id: "1") { id } }',
      'GRAPHQL_VALIDATION_FAILED',
      'Field "Query.project" has no such argument; did you mean "id"?',
    ],
    [
      '{ project { id } }',
      'GRAPHQL_VALIDATION_FAILED',
      'Field "project" needs the argument "id" of type "ID!"',
    ],
    [
      'query ($a: LoginInpt) { hasSession }',
      'GRAPHQL_VALIDATION_FAILED',
      'There is no such type; did you mean "LoginInput" or "LoginMode"?',
    ],
    [
      'query ($a: Boolean) { projectId(name: $a) }',
      'GRAPHQL_VALIDATION_FAILED',
      'A variable of type "Boolean" is used where "String!" is expected',
    ],
    ['{ projectId(name: 3) }', 'BAD_USER_INPUT', 'A value of type "String" is expected'],
    ['{ projectId(name: null) }', 'BAD_USER_INPUT', 'A value of type "String!" is expected'],
    [
      'mutation { login(input: {pasword: ""}) { handle } }',
      'BAD_USER_INPUT',
      'The input type "LoginInput" has no such field; did you mean "password"?',
    ],
    [
      'mutation { login(input: {transport: COOKI}) { handle } }',
      'BAD_USER_INPUT',
      '"SessionTransport" has no such value; did you mean "COOKIE"?',
    ],
    [
      'mutation { delegate(input: {}) { handle } }',
      'BAD_USER_INPUT',
      'The input field "DelegateInput.identityToken" of type "String!" is required',
    ],
    [LOGIN, 'BAD_USER_INPUT', 'A variable of type "LoginInput!" is required'],
    [LOGIN, 'BAD_USER_INPUT', 'A variable of type "LoginInput!" is required', { input: null }],
    [LOGIN, 'BAD_USER_INPUT', 'An object of type "LoginInput" is expected', { input: 'text' }],
    [LOGIN, 'BAD_USER_INPUT', 'A value of type "String" is expected', { input: { password: { x: 1 } } }],
    [LOGIN, 'BAD_USER_INPUT', 'A value of type "Int" is expected', { input: { applicationType: 2 ** 40 } }],
    [LOGIN, 'BAD_USER_INPUT', '"SessionTransport" has no such value', { input: { transport: 'x' } }],
    [
      'query A { hasSession } query B { hasSession }',
      'BAD_REQUEST',
      'The document must have exactly one operation with the requested name',
    ],
    ['{ hasSession ', 'GRAPHQL_PARSE_FAILED', 'The document is not valid GraphQL syntax'],
    ['subscription { hasSession }', 'GRAPHQL_VALIDATION_FAILED', 'Subscriptions are not supported'],
  ])('is explained with names of the schema: %s is %s', async (...[query, code, message, variables]) => {
    const { status, errors, data } = await app.graphql(query, { ...(variables && { variables }) });
    expect(status).toBe(400);
    expect(data).toBeUndefined();
    expect(errors?.[0]).toMatchObject({ message, extensions: { code, retryable: false } });
  });

  it('never brings a value of the request back, wherever it stands', async () => {
    const canaries = createCanaries();
    const secret = canaries.plant('PW');
    const name = secret.replaceAll('-', '_');
    canaries.watch('PW as a name', name);
    const withInput = (input: unknown): Promise<Answer> => app.graphql(LOGIN, { variables: { input } });
    const answers = await Promise.all([
      withInput({ username: 'u', password: secret, pasword: 'z' }),
      withInput({ [secret]: 'z' }),
      withInput({ [`Field "x" is not defined by type "${name}".`]: 1 }),
      withInput({ [`x" is not defined by type "A". Did you mean "${name}"?`]: 1 }),
      withInput({ password: [secret, { a: secret }] }),
      withInput({ password: { [`; String cannot represent "${name}"`]: secret } }),
      withInput({ transport: secret }),
      withInput({ transport: `x" enum. Did you mean "${name}"?` }),
      withInput({ applicationType: secret }),
      withInput(secret),
      withInput([secret]),
      app.graphql(`mutation { login(input: {username: "u", password: ${name}}) { handle } }`),
      app.graphql(`mutation { login(input: {username: "u", ${name}: 1}) { handle } }`),
      app.graphql(`mutation { login(input: "${secret}") { handle } }`),
      app.graphql(`mutation { login(input: {transport: ${name}}) { handle } }`),
      app.graphql(`mutation { login(${name}: "${secret}") { ${name} } }`),
      app.graphql(`query ($${name}: ${name}) { ...${name} @${name} }`),
      app.graphql(`query ${name} { me { ...${name} } } fragment ${name} on ${name} { id }`),
      app.graphql(`query ${name} { hasSession } query ${name} { hasSession }`),
      app.graphql(`{ me { id } ${name}: hasSession ${name}: me { id } }`),
      app.graphql(`mutation { login(input: {password: "${secret}`),
      app.graphql(`"${secret}" { hasSession }`),
    ]);
    for (const { status, errors } of answers) {
      expect(status).toBe(400);
      expect(errors?.length).toBeGreaterThan(0);
    }
    expect(canaries.findIn(answers.map(({ text }) => text).join('\n'))).toEqual([]);
    expect(platform.connections).toBe(0);
  });
});

describe('a wrong user and a wrong password', () => {
  it('give the same bytes apart from the ids of request and ticket', async () => {
    const app = await startApp();
    const wrong = async (username: string, password: string): Promise<string> => {
      const { text, headers } = await app.graphql(LOGIN, { variables: { input: { username, password } } });
      return text
        .replaceAll(String(headers.get('x-request-id')), 'id')
        .replace(/"ticketId":"[0-9a-f]{32}"/, '"ticketId":"ticket"');
    };
    expect(await wrong('demo', 'wrong')).toBe(await wrong('nobody', 'wrong'));
    await app.close();
  });
});
