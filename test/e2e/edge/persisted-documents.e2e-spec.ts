import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { tempFolder } from '../../support/temp-folder.js';

const ALLOWED = 'query HasSession { hasSession }';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a service with a folder of allowed documents', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let app: TestApp | undefined;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await folder.remove();
  });

  const start = async (files: Record<string, string>): Promise<TestApp> => {
    await mkdir(`${folder.path}/documents`);
    for (const [name, text] of Object.entries(files))
      await writeFile(`${folder.path}/documents/${name}`, text);
    return (app = await startApp({ PERSISTED_DOCUMENTS: `${folder.path}/documents` }));
  };
  const ask = async (body: unknown): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(`${String(app?.url)}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const byHash = (hash: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
    ...more,
    extensions: { persistedQuery: { version: 1, sha256Hash: hash } },
  });
  const notFound = {
    errors: [
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'PERSISTED_QUERY_NOT_FOUND' }) }),
    ],
  };

  it('runs those by their hash, as Apollo’s clients send it, and by their text', async () => {
    await start({ 'has-session.graphql': `${ALLOWED}\n`, 'readme.md': 'not a document' });
    const answer = { status: 200, body: { data: { hasSession: false } } };
    expect(await ask(byHash(sha256(ALLOWED)))).toEqual(answer);
    expect(await ask({ query: ALLOWED })).toEqual(answer);
    expect(await ask(byHash(sha256(ALLOWED), { query: ALLOWED }))).toEqual(answer);
    const query = new URLSearchParams({ extensions: JSON.stringify(byHash(sha256(ALLOWED)).extensions) });
    const got = await fetch(`${String(app?.url)}/graphql?${query.toString()}`);
    expect(await got.json()).toEqual(answer.body);
  });

  it('takes documentId for them, by hash or by what Apollo’s or Relay’s manifest calls them', async () => {
    const session = 'query Session($yes: Boolean!) { session { expiresAt } hasSession @include(if: $yes) }';
    await start({
      'has-session.graphql': ALLOWED,
      'apollo.json': JSON.stringify({
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [{ id: 'apollo-id', name: 'Session', type: 'query', body: session }],
      }),
      'relay.json': JSON.stringify({ '0123456789abcdef0123456789abcdef': '{ __typename }' }),
    });
    const has = { status: 200, body: { data: { hasSession: false } } };
    expect(await ask({ documentId: `sha256:${sha256(ALLOWED)}` })).toEqual(has);
    expect(await ask({ documentId: sha256(ALLOWED), query: null })).toEqual(has);
    expect(await ask({ documentId: '0123456789abcdef0123456789abcdef' })).toEqual({
      status: 200,
      body: { data: { __typename: 'Query' } },
    });
    const both = { data: { session: null, hasSession: false } };
    // Asked often enough to be compiled.
    for (let asked = 0; asked < 4; asked += 1) {
      expect((await ask({ documentId: 'apollo-id', variables: { yes: true } })).body).toEqual(both);
    }
    expect((await ask(byHash('apollo-id', { variables: { yes: true } }))).body).toEqual(both);
    expect((await ask({ query: session, variables: { yes: true } })).body).toEqual(both);
    const query = new URLSearchParams({ documentId: 'apollo-id', variables: '{"yes":true}' });
    const got = await fetch(`${String(app?.url)}/graphql?more=a?b&${query.toString()}`);
    expect(await got.json()).toEqual(both);
    expect((await ask({ documentId: 'unknown' })).body).toEqual(notFound);
    expect((await ask({ documentId: '__proto__' })).body).toEqual(notFound);
  });

  it('refuses documentId together with a document', async () => {
    await start({ 'has-session.graphql': ALLOWED });
    const id = { documentId: `sha256:${sha256(ALLOWED)}` };
    for (const request of [{ ...id, query: ALLOWED }, byHash(sha256(ALLOWED), id)]) {
      expect(await ask(request)).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
      });
    }
    for (const documentId of [7, {}, null]) {
      expect(await ask({ documentId })).toMatchObject({ status: 400 });
    }
  });

  it('runs no other, and remembers none that is sent', async () => {
    await start({ 'has-session.graphql': ALLOWED });
    const other = 'query HasSession { hasSession }  ';
    expect((await ask({ query: other })).body).toEqual(notFound);
    expect((await ask(byHash(sha256(other), { query: other }))).body).toEqual(notFound);
    expect((await ask(byHash(sha256(other)))).body).toEqual(notFound);
    expect((await ask({ query: '{ __schema { types { name } } }' })).body).toEqual(notFound);
    expect(await ask(byHash(sha256(ALLOWED), { query: other }))).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
    });
  });
});

describe('a service without one', () => {
  it('answers documentId as it does a hash', async () => {
    const app = await startApp();
    const { errors } = (await (
      await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ documentId: `sha256:${sha256(ALLOWED)}` }),
      })
    ).json()) as { errors: { extensions: { code: string } }[] };
    expect(errors[0]?.extensions.code).toBe('PERSISTED_QUERY_NOT_SUPPORTED');
    await app.close();
  });

  it('keeps no documents, and says so to clients that would send a hash', async () => {
    const app = await startApp();
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash: sha256(ALLOWED) } } }),
    });
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', retryable: false } }],
    });
    await app.close();
  });
});
