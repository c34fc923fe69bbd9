import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { auditServer } from 'graphql-http';
import {
  type KnownRequest,
  RepeatedRequests,
} from '../../../src/graphql/execution/repeated-request-route.service.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';

/** More often than an operation is executed by Apollo before it counts as frequent. */
const OFTEN = 12;
const login = (password: string): string =>
  `mutation { login(input: { username: "demo", password: "${password}", transport: BEARER }) { handle } }`;
const JSON_TYPE = { 'content-type': 'application/json' };

interface Told {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

describe('a request that comes again and again', () => {
  let app: TestApp;
  let handle: string;
  beforeAll(async () => {
    app = await startApp({ FEDERATION_SECRET: 'a-secret-of-the-router-of-32-bytes' });
    handle = await bearerHandle(app.graphql, { username: 'demo', password: 'demo' });
  });
  afterAll(() => app.close());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  async function ask(body: unknown, headers: Record<string, string> = {}): Promise<Told> {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify(body),
    });
    const { date: _date, 'x-request-id': id = '', ...others } = Object.fromEntries(response.headers);
    return { status: response.status, headers: others, text: (await response.text()).replaceAll(id, 'ID') };
  }

  /** Asks often, and says whether the last request was answered without Apollo. */
  async function askOften(body: unknown, headers?: Record<string, string>): Promise<[Told, Told, boolean]> {
    const find = vi.spyOn(RepeatedRequests.prototype, 'find');
    const first = await ask(body, headers);
    for (let n = 0; n < OFTEN; n += 1) await ask(body, headers);
    find.mockClear();
    const last = await ask(body, headers);
    const found = find.mock.results.some(({ value }) => (value as KnownRequest | undefined) !== undefined);
    return [first, last, found];
  }

  const bearer = (): Record<string, string> => ({ authorization: `Bearer ${handle}` });

  it.each<[string, object, () => Record<string, string>]>([
    ['a plain field', { query: '{ __typename }' }, () => ({})],
    ['a session', { query: '{ hasSession }' }, bearer],
    ['a list', { query: '{ projects { id name description owner { name } } }' }, bearer],
    [
      'variables',
      { query: 'query ($id: ID!) { project(id: $id) { name } }', variables: { id: 'x' } },
      bearer,
    ],
    [
      'one of two operations',
      { query: 'query A { hasSession } query B { __typename }', operationName: 'B' },
      () => ({}),
    ],
    [
      'absent parts',
      { query: '{ hasSession }', operationName: null, variables: null, extensions: null },
      bearer,
    ],
    [
      'extensions of the client',
      { query: '{ hasSession }', extensions: { clientLibrary: { name: 'client', version: '1' } } },
      bearer,
    ],
    [
      'the media type of GraphQL',
      { query: '{ hasSession }' },
      () => ({ accept: 'application/graphql-response+json, application/json;q=0.9' }),
    ],
    ['JSON by name', { query: '{ hasSession }' }, () => ({ accept: 'application/json' })],
    ['anything', { query: '{ hasSession }' }, () => ({ accept: '*/*' })],
    ['an error', { query: '{ projects { id } }' }, () => ({})],
    ['an error beside data', { query: '{ hasSession me { fullName } }' }, () => ({})],
    [
      'a dead handle',
      { query: '{ me { fullName } }' },
      () => ({ authorization: `Bearer ${'A'.repeat(43)}` }),
    ],
    ['a dead cookie', { query: '{ hasSession }' }, () => ({ cookie: `__Host-portico=${'A'.repeat(43)}` })],
    ['a cookie that is no handle', { query: '{ hasSession }' }, () => ({ cookie: '__Host-portico=odd' })],
    ['a foreign bearer token', { query: '{ hasSession }' }, () => ({ authorization: 'Bearer odd' })],
    ['gzip', { query: '{ projects { id raw } }' }, () => ({ ...bearer(), 'accept-encoding': 'gzip' })],
    ['an introspection', { query: '{ __schema { queryType { name } } }' }, () => ({})],
    ['a literal', { query: '{ project(id: "x") { name } }' }, bearer],
    ['an extension', { query: 'mutation { extend { __typename } }' }, bearer],
    ['an extension without a session', { query: 'mutation { extend { expiresAt } }' }, () => ({})],
    ['a logout without a session', { query: 'mutation { logout { loggedOut } }' }, () => ({})],
    [
      'a login that is refused',
      { query: 'mutation { login(input: { password: "x" }) { handle } }' },
      () => ({}),
    ],
    [
      'a login with input that is refused',
      { query: 'mutation { login(input: { username: " " }) { handle } }' },
      () => ({}),
    ],
  ])('is answered as the first time, without Apollo: %s', async (_name, body, headers) => {
    const [first, last, found] = await askOften(body, headers());
    expect(last).toEqual(first);
    expect(found).toBe(true);
  });

  it.each<[string, object, Record<string, string>]>([
    ['a mutation that is not valid', { query: 'mutation { logout }' }, {}],
    ['a field of the router', { query: '{ _service { sdl } }' }, { 'x-federation-secret': 'wrong' }],
    ['a document that is not valid', { query: '{ nothing }' }, {}],
    ['a document that cannot be read', { query: '{' }, {}],
    ['no document', { query: '' }, {}],
    ['an operation that is not there', { query: '{ hasSession }', operationName: 'Other' }, {}],
    ['an operation without a name', { query: '{ hasSession }', operationName: '' }, {}],
    ['a media type that is not offered', { query: '{ hasSession }' }, { accept: 'image/png' }],
    [
      'a hash',
      { query: '{ hasSession }', extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
      {},
    ],
    ['a list of requests', [{ query: '{ hasSession }' }], {}],
  ])('is left to Apollo each time, with the same answer: %s', async (_name, body, headers) => {
    const [first, last, found] = await askOften(body, headers);
    expect(last).toEqual(first);
    expect(found).toBe(false);
  });

  it('is refused with variables that do not fit, as the first time', async () => {
    const query = 'query ($id: ID!) { project(id: $id) { name } }';
    const refused = await ask({ query, variables: { id: [1] } }, bearer());
    await askOften({ query, variables: { id: 'x' } }, bearer());
    expect(await ask({ query, variables: { id: [1] } }, bearer())).toEqual(refused);
    expect(await ask({ query }, bearer())).toMatchObject({ status: 400 });
  });

  it('opens the fields of the router to nobody else', async () => {
    const body = {
      query: 'query ($keys: [_Any!]!) { _entities(representations: $keys) { __typename } }',
      variables: { keys: [{ __typename: 'Project', id: 'x' }] },
    };
    const secret = { 'x-federation-secret': 'a-secret-of-the-router-of-32-bytes' };
    const [first, last, found] = await askOften(body, { ...bearer(), ...secret });
    expect(found).toBe(true);
    expect(last).toEqual(first);
    expect(await ask(body, bearer())).toMatchObject({ status: 403 });
    expect(await ask(body, { ...bearer(), 'x-federation-secret': 'wrong' })).toMatchObject({ status: 403 });
    const unknown = { ...body, variables: { keys: [{ __typename: 'Nothing', id: 'x' }] } };
    expect(await ask(unknown, { ...bearer(), ...secret })).toMatchObject({
      status: 200,
      text: expect.stringContaining('BAD_USER_INPUT'),
    });
  });

  it('starts a session of its own each time if it is a login, and ends only that one if it is a logout', async () => {
    const [, , found] = await askOften({ query: login('demo') });
    expect(found).toBe(true);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask({ query: login('demo') })));
    const handles = answers.map(
      ({ text }) => (JSON.parse(text) as { data: { login: { handle: string } } }).data.login.handle,
    );
    expect(new Set(handles).size).toBe(20);
    const as = (n: number) => ({ authorization: `Bearer ${handles[n] ?? ''}` });
    for (let n = 0; n < 19; n += 1) {
      expect((await ask({ query: 'mutation { logout { loggedOut } }' }, as(n))).text).toBe(
        '{"data":{"logout":{"loggedOut":true}}}\n',
      );
    }
    expect(await ask({ query: '{ hasSession }' }, as(0))).toMatchObject({
      text: '{"data":{"hasSession":false}}\n',
    });
    expect(await ask({ query: '{ hasSession }' }, as(19))).toMatchObject({
      text: '{"data":{"hasSession":true}}\n',
    });
  });

  it('is seen by no other caller', async () => {
    const query = '{ me { fullName } }';
    const [, mine] = await askOften({ query }, bearer());
    expect(JSON.parse(mine.text)).toEqual({ data: { me: { fullName: expect.any(String) } } });
    expect(JSON.parse((await ask({ query })).text)).toEqual({
      data: { me: null },
      errors: [expect.anything()],
    });
  });

  it('keeps GraphQL over HTTP: all audits pass again and again', async () => {
    for (let n = 0; n < OFTEN; n += 1) {
      const results = await auditServer({ url: `${app.url}/graphql` });
      expect(results.filter(({ status }) => status !== 'ok')).toEqual([]);
    }
  });
});
