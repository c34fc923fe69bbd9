import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { productionSettings } from '../../support/app/production.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const TYPENAME = 'query cop { __typename }';
const times = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

describe('the checks of graphql-cop in production', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  beforeAll(async () => {
    platform = await startScriptedPlatform({});
    app = await startApp(productionSettings(platform.baseUrl));
  });
  afterAll(() => app.close());

  const get = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${app.url}/graphql?query=${encodeURIComponent(query)}`, { headers });
  const post = (body: string, type = 'application/json'): Promise<Response> =>
    fetch(`${app.url}/graphql`, { method: 'POST', headers: { 'content-type': type }, body });
  const isRefused = async (response: Response): Promise<boolean> =>
    response.status >= 400 && response.status < 500 && !(await response.text()).includes('"data"');

  it('1. alias overloading: 101 aliases are refused', async () => {
    const response = await post(
      JSON.stringify({ query: `query cop { ${times(101, (n) => `alias${n}: __typename`)} }` }),
    );
    expect(await isRefused(response)).toBe(true);
  });

  it('2. array batching: ten queries at once are refused', async () => {
    expect(await isRefused(await post(JSON.stringify(Array(10).fill({ query: TYPENAME }))))).toBe(true);
  });

  it('3. directive overloading: ten unknown directives are not each complained of, eleven are refused by the limit', async () => {
    const { errors } = await app.graphql(`query cop { __typename ${'@aa'.repeat(11)} }`);
    expect(errors).toEqual([
      expect.objectContaining({ message: 'The document has more than 10 directives' }),
    ]);
  });

  it('4. circular introspection is refused', async () => {
    const response = await post(
      JSON.stringify({
        query: 'query cop { __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
      }),
    );
    expect(await isRefused(response)).toBe(true);
  });

  it('5. field duplication: 500 times one field is refused', async () => {
    const response = await post(JSON.stringify({ query: `query cop { ${'__typename '.repeat(500)} }` }));
    expect(await isRefused(response)).toBe(true);
  });

  it('6. field suggestions: none', async () => {
    for (const query of [
      '{ prjects { id } }',
      '{ project(idd: "1") { id } }',
      'mutation { login(input: {pasword: ""}) { handle } }',
      'query ($x: LoginInpt) { hasSession }',
    ]) {
      const { text, status } = await app.graphql(query);
      expect(status).toBe(400);
      expect(text).not.toMatch(/did you mean|project|password|LoginInput|Query/i);
    }
  });

  it('7. introspection: refused, by __schema and by __type', async () => {
    for (const query of ['{ __schema { types { name } } }', '{ __type(name: "Query") { name } }']) {
      const { status, text, data } = await app.graphql(query);
      expect(status).toBe(400);
      expect(data).toBeUndefined();
      expect(text).not.toMatch(/Query"|introspection/i);
    }
  });

  it('8. a console: none', async () => {
    for (const path of ['/', '/graphql', '/graphiql', '/playground', '/console/index.html']) {
      const response = await fetch(`${app.url}${path}`, { headers: { accept: 'text/html' } });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(await response.text()).not.toMatch(/graphiql|playground|<html/i);
    }
  });

  it('9. mutations over GET: refused with 405', async () => {
    expect((await get('mutation cop { logout { loggedOut } }')).status).toBe(405);
  });

  it('10. queries over GET: the specification has them; they set no cookie, are not cached and no page may read them', async () => {
    const response = await get(TYPENAME, { origin: 'https://evil.example' });
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('11. queries as forms over POST: refused with 415', async () => {
    const form = new URLSearchParams({ query: TYPENAME }).toString();
    expect((await post(form, 'application/x-www-form-urlencoded')).status).toBe(415);
  });

  it('12. tracing: none, even when it is asked for', async () => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'apollo-federation-include-trace': 'ftv1',
        'apollo-tracing': '1',
      },
      body: JSON.stringify({ query: TYPENAME }),
    });
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  });

  it('13. unhandled errors: no stack, no exception, no debug text', async () => {
    for (const query of [
      'qwerty cop { abc }',
      '{',
      '',
      '{ me { id } }',
      `{ project(id: {a: "CANARY"}) { id } }`,
    ]) {
      const { status, text } = await app.graphql(query);
      expect(status).toBeLessThan(500);
      expect(text).not.toMatch(/stack|exception|debug|\.js|node_modules|CANARY|graphql-js|apollo/i);
    }
  });

  it('and none of them asked the platform for anything', () => {
    expect(platform.connections).toBe(0);
  });
});

describe('a production service that is asked to', () => {
  it('shows its schema', async () => {
    const platform = await startScriptedPlatform({});
    const app = await startApp({ ...productionSettings(platform.baseUrl), GRAPHQL_INTROSPECTION: 'true' });
    expect((await app.graphql('{ __type(name: "Query") { name } }')).data).toEqual({
      __type: { name: 'Query' },
    });
    expect((await app.graphql('{ prjects { id } }')).text).toContain('did you mean');
    await app.close();
  });
});
