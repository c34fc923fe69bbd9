import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Adapter, type RunningShop, startShop } from './start-shop.js';

const LOGIN = 'login(input: { username: "demo", password: "demo", transport: TRANSPORT })';
const BY_BEARER = `mutation { ${LOGIN.replace('TRANSPORT', 'BEARER')} { handle me { fullName } } }`;
const BY_COOKIE = `mutation { ${LOGIN.replace('TRANSPORT', 'COOKIE')} { handle } }`;

describe.each<Adapter>(['express', 'fastify'])('a shop on %s that mounts Portico', (adapter) => {
  let shop: RunningShop;
  beforeAll(async () => {
    shop = await startShop(adapter);
  });
  afterAll(() => shop.close());

  const bearer = async (): Promise<Record<string, string>> => {
    const { data } = await shop.ask(BY_BEARER);
    return { authorization: `Bearer ${data.login.handle}` };
  };
  const cookie = async (): Promise<string> => {
    const { headers } = await shop.ask(BY_COOKIE, { origin: shop.url });
    return String(headers.getSetCookie()[0]?.split(';')[0]);
  };

  it('answers one query over its own fields and those of Portico', async () => {
    const headers = await bearer();
    const { data, errors } = await shop.ask(
      '{ greeting me { fullName } reports { id writtenAt project { name dateCreated } } }',
      headers,
    );
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      greeting: 'You came by bearer.',
      me: { fullName: 'Dana Demo' },
      reports: [
        { id: 'sales', writtenAt: expect.stringMatching(/^2026-03-01/), project: { name: 'Retail Sales' } },
        { id: 'stock', project: null },
      ],
    });
  });

  it('logs in by a cookie that only the right origin may use, and clears it at the logout', async () => {
    const { headers, data } = await shop.ask(BY_COOKIE, { origin: shop.url });
    expect(data).toEqual({ login: { handle: null } });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-portico=.*HttpOnly.*SameSite=Lax$/),
    ]);
    expect(headers.get('cache-control')).toBe('private, no-store');
    const [pair = ''] = String(headers.getSetCookie()[0]).split(';');

    const foreign = await shop.ask('mutation { logout { loggedOut } }', {
      cookie: pair,
      origin: 'https://evil.example',
    });
    expect(foreign.errors?.[0]?.extensions).toMatchObject({
      code: 'FORBIDDEN',
      reason: 'ORIGIN_NOT_ALLOWED',
    });
    expect((await shop.ask('{ greeting }', { cookie: pair })).data).toEqual({
      greeting: 'You came by cookie.',
    });

    const end = await shop.ask('mutation { logout { loggedOut } }', { cookie: pair, origin: shop.url });
    expect(end.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-portico=;.*1970/)]);
  });

  it('refuses a login that a page of a foreign origin makes a browser send', async () => {
    const { errors } = await shop.ask(BY_COOKIE, { origin: 'https://evil.example' });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'ORIGIN_NOT_ALLOWED' });
  });

  it('checks the inputs of a login by their own rules, without a pipe of the shop', async () => {
    const { errors } = await shop.ask('mutation { login(input: { username: " " }) { handle } }');
    expect(errors?.[0]).toMatchObject({
      message: 'username must not be empty',
      extensions: { code: 'BAD_USER_INPUT', from: 'shop' },
    });
  });

  it('reports the errors of Portico by code and reason, and its own ones as before, both in its own form', async () => {
    const { errors: ours } = await shop.ask('{ greeting me { fullName } }');
    expect(ours).toHaveLength(2);
    expect(ours?.[0]?.extensions).toEqual({
      code: 'UNAUTHENTICATED',
      reason: 'NO_SESSION',
      platformCode: 'N/A',
      retryable: false,
      from: 'shop',
    });
    const { errors: own } = await shop.ask('mutation { order(id: "sales") }');
    expect(own?.[0]).toMatchObject({
      message: 'The report sales is sold out',
      extensions: { code: 'INTERNAL_SERVER_ERROR', from: 'shop' },
    });
  });

  it('streams a file only to callers with a session', async () => {
    const anonymous = await fetch(`${shop.url}/reports/sales/file`);
    expect(anonymous.status).toBe(401);
    expect(await anonymous.json()).toMatchObject({
      statusCode: 401,
      code: 'UNAUTHENTICATED',
      reason: 'NO_SESSION',
      message: 'There is no session: log in first',
    });

    const response = await fetch(`${shop.url}/reports/sales/file`, { headers: await bearer() });
    expect(response.headers.get('content-type')).toBe('text/csv');
    expect(await response.text()).toBe('Sales by region\nregion,sales\nnorth,12\n');
  });

  it('lets no page of a foreign origin change anything by a cookie on a route', async () => {
    const headers = { cookie: await cookie(), origin: 'https://evil.example' };
    const response = await fetch(`${shop.url}/reports/leave`, { method: 'POST', headers });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'FORBIDDEN', reason: 'ORIGIN_NOT_ALLOWED' });

    const own = await fetch(`${shop.url}/reports/leave`, {
      method: 'POST',
      headers: { ...headers, origin: shop.url },
    });
    expect(await own.json()).toEqual({ platformLoggedOut: true });
  });

  it('answers a route whose session has ended on the platform with 401, and clears its cookie', async () => {
    const headers = { cookie: await cookie() };
    expect(await (await fetch(`${shop.url}/reports/owner`, { headers })).json()).toEqual({
      name: 'Dana Demo',
    });
    const joined = await shop.ask('mutation { logout { loggedOut } }', { ...headers, origin: shop.url });
    expect(joined.data).toEqual({ logout: { loggedOut: true } });

    const gone = await fetch(`${shop.url}/reports/owner`, { headers });
    expect(gone.status).toBe(401);
    expect(gone.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-portico=;.*1970/)]);
  });

  it('refuses a request whose headers can be read in two ways', async () => {
    const { errors, status } = await shop.ask('{ hasSession }', {
      cookie: '__Host-portico=a; __Host-portico=b',
    });
    expect(status).toBe(400);
    expect(errors?.[0]).toMatchObject({ message: 'The request has more than one session cookie' });
  });
});
