import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Agent, request } from 'undici';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import {
  type CountedPlatform,
  startCountedPlatform,
} from '../../support/embedded-platform/platform-call-counter.js';
import { startScriptedPlatform } from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const SECRET = 'only-the-router-knows';
const ENTITIES = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) { ... on Project { id name } }
}`;
const TOO_LARGE =
  'The request body is too large (HTTP_BODY_LIMIT_BYTES, for a router FEDERATION_BODY_LIMIT_BYTES)';

interface Keys extends Record<string, unknown> {
  readonly representations: { readonly __typename: string; readonly id: string }[];
}
function keys(ids: readonly string[]): Keys {
  return { representations: ids.map((id) => ({ __typename: 'Project', id })) };
}

async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 10_000) {
    yield await Promise.resolve(Buffer.from(text.slice(at, at + 10_000)));
  }
}

describe('very many entities', () => {
  let platform: CountedPlatform;
  let app: TestApp;
  let handle: string;
  let projects: { id: string; name: string }[];
  beforeAll(async () => {
    platform = await startCountedPlatform();
    app = await startApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      FEDERATION_SECRET: SECRET,
      FEDERATION_MAX_REPRESENTATIONS: '5000',
    });
    handle = await bearerHandle(app.graphql, { username: 'many-projects', password: 'demo' });
    ({ projects } = (await app.graphql('{ projects { id name } }', { handle })).data);
  });
  beforeEach(() => {
    platform.calls();
  });
  afterAll(async () => {
    await app.close();
    await platform.close();
  });
  /** A body that the usual limit does not let in. */
  const large = (): string =>
    JSON.stringify({ query: ENTITIES, variables: keys(projects.slice(0, 2000).map(({ id }) => id)) });
  const send = async (
    body: RequestInit['body'] | AsyncGenerator<Uint8Array>,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${handle}`, ...headers },
      body: body as RequestInit['body'],
      // What is sent in pieces needs it, and the types of fetch do not know it.
      ...({ duplex: 'half' } as object),
    });
    return { status: response.status, text: await response.text() };
  };

  it('are found by 5,000 keys in one operation, for one GET projects', async () => {
    const variables = keys(projects.map(({ id }) => id));
    expect(variables.representations).toHaveLength(5000);
    const { data, errors } = await app.graphql(ENTITIES, {
      handle,
      variables,
      headers: { 'x-federation-secret': SECRET },
    });
    expect(errors).toBeUndefined();
    expect(data._entities).toEqual(projects);
    expect(platform.calls()).toEqual({ 'GET projects': 1 });
  });

  it('are limited by a setting that the error names', async () => {
    const variables = keys(Array<string>(5001).fill('X'));
    const { errors } = await app.graphql(ENTITIES, {
      handle,
      variables,
      headers: { 'x-federation-secret': SECRET },
    });
    expect(errors).toEqual([
      {
        path: ['_entities', 0],
        locations: expect.any(Array),
        message: 'One operation may request at most 5000 entities (FEDERATION_MAX_REPRESENTATIONS)',
        extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }),
      },
    ]);
    expect(platform.calls()).toEqual({});
  });

  it.each([
    ['at once', (text: string) => text],
    ['in pieces', inPieces],
  ])('come in a large body, sent %s, only from a caller who knows the secret', async (_how, body) => {
    const given = await send(body(large()), { 'x-federation-secret': SECRET });
    expect(JSON.parse(given.text).data._entities).toEqual(projects.slice(0, 2000));
    for (const secret of ['', 'a guess that is wrong', `${SECRET}, ${SECRET}`]) {
      const refused = await send(body(large()), { 'x-federation-secret': secret });
      expect({ status: refused.status, ...JSON.parse(refused.text) }).toEqual({
        status: 413,
        errors: [{ message: TOO_LARGE, extensions: expect.objectContaining({ code: 'BAD_REQUEST' }) }],
      });
    }
  });

  it.each([
    ['at once', (text: string) => text],
    ['in pieces', inPieces],
  ])('come in a body of 1 MB at most, even from a router, sent %s', async (_how, body) => {
    const variables = keys(['X'.repeat(1024 * 1024)]);
    const { status, text } = await send(body(JSON.stringify({ query: ENTITIES, variables })), {
      'x-federation-secret': SECRET,
    });
    expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 413, errors: [{ message: TOO_LARGE }] });
  });

  it('are found for 100 who ask for 1,000 each at once', async () => {
    const login = { username: 'demo', password: 'demo' };
    const handles = await Promise.all(Array.from({ length: 10 }, () => bearerHandle(app.graphql, login)));
    const { data } = await app.graphql('{ projects { id name } }', { handle: handles[0] ?? '' });
    const own = data.projects as typeof projects;
    const variables = keys(Array.from({ length: 1000 }, (_, place) => own[place % own.length]?.id ?? ''));
    platform.calls();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        app.graphql(ENTITIES, {
          handle: handles[index % handles.length] ?? '',
          variables,
          headers: { 'x-federation-secret': SECRET },
        }),
      ),
    );
    for (const { data: found, errors } of answers) {
      expect(errors).toBeUndefined();
      expect(found._entities).toHaveLength(1000);
      expect(found._entities[999]).toEqual(own[999 % own.length]);
    }
    const { 'GET projects': calls = 0 } = platform.calls();
    expect(calls).toBeGreaterThanOrEqual(handles.length);
    expect(calls).toBeLessThanOrEqual(answers.length);
  });
});

describe('a router that hangs up', () => {
  it('ends the call of the platform, whatever number of keys it asked for', async () => {
    let asked = 0;
    let aborted = 0;
    const platform = await startScriptedPlatform({
      'POST auth/login': { status: 204, headers: { 'x-svc-authtoken': 'token-of-a-user' } },
      'POST auth/logout': { status: 204 },
      'GET projects': (_request, response) => {
        asked += 1;
        response.once('close', () => {
          if (!response.writableFinished) aborted += 1;
        });
      },
    });
    const app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
    const handle = await bearerHandle(app.graphql, { username: 'demo', password: 'demo' });
    const hangUp = new AbortController();
    // Its own: `fetch` may open another connection for nobody, and the end of the service would wait for that.
    const agent = new Agent();
    const answer = request(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${handle}` },
      body: JSON.stringify({ query: ENTITIES, variables: keys(Array<string>(1000).fill('X')) }),
      signal: hangUp.signal,
      dispatcher: agent,
    });
    await eventually(() => asked === 1);
    hangUp.abort();
    await expect(answer).rejects.toThrow('aborted');
    await eventually(() => aborted === 1);
    await agent.destroy();
    await app.close();
  });
});
