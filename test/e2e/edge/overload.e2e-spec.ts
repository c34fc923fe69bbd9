import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, bearerHandle } from '../../support/graphql/graphql-caller.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type Gate, gate } from '../../../packages/portico/test/support/gate.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { newHandle } from '../../../src/session/handle.js';

const ORIGIN = 'https://page.example';
const PROJECTS = '{ projects { id } }';
const LOGOUT = 'mutation { logout { loggedOut } }';

describe('a service with all its places taken', () => {
  let platform: UserPlatform;
  let app: TestApp;
  let held: Gate;
  let handles: string[];
  let inFlight: Promise<Answer>[];
  beforeAll(async () => {
    platform = await startUserPlatform();
    app = await startApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      MAX_IN_FLIGHT: '4',
      MAX_IN_FLIGHT_PER_SESSION: '2',
      CORS_ORIGINS: ORIGIN,
    });
    handles = [];
    for (let n = 0; n < 6; n += 1) handles.push(await bearerHandle(app.graphql, { username: `user ${n}` }));
    held = gate();
    platform.before('GET projects', () => held.passed);
    // Four sessions, so that the reads are not shared, and each has a place.
    inFlight = handles.slice(0, 4).map((handle) => app.graphql(PROJECTS, { handle }));
    await eventually(() => platform.count('GET projects') === 4);
  });
  afterAll(async () => {
    held.open();
    for (const { data } of await Promise.all(inFlight)) expect(data.projects).toHaveLength(1);
    await app.close();
  });

  it('refuses one more after a short wait, before it asks the platform, and says when to try again', async () => {
    const before = platform.requests.length;
    const { status, headers, errors } = await app.graphql('{ me { id } }', { handle: handles[4] });
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(errors).toEqual([
      {
        message: 'Too many requests are in flight: try again',
        extensions: {
          code: 'OVERLOADED',
          reason: 'SERVICE_BUSY',
          retryable: true,
          retryAfter: 1,
          requestId: headers.get('x-request-id'),
        },
      },
    ]);
    expect(platform.requests).toHaveLength(before);
  });

  it('lets a page of an allowed origin read that', async () => {
    const { status, headers } = await app.graphql('{ me { id } }', {
      handle: handles[4],
      headers: { origin: ORIGIN },
    });
    expect(status).toBe(503);
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(headers.get('access-control-expose-headers')).toContain('retry-after');
  });

  it('decides before a body is parsed, and also on requests without one', async () => {
    for (const init of [
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query": ' },
      { method: 'GET' },
    ]) {
      const path = init.method === 'GET' ? '/graphql?query={hasSession}' : '/graphql';
      const response = await fetch(`${app.url}${path}`, init);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('"code":"OVERLOADED"');
    }
  });

  it('answers probes and logouts', async () => {
    expect((await fetch(`${app.url}/livez`)).status).toBe(200);
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    const { data } = await app.graphql(LOGOUT, { handle: handles[5] });
    expect(data).toEqual({ logout: { loggedOut: true } });
  });

  it('refuses what only mentions a logout', async () => {
    for (const query of ['{ me { id } } # logout', `query logout { hasSession }`]) {
      const { status, errors, headers } = await app.graphql(query, { handle: handles[4] });
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('1');
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'OVERLOADED', retryable: true, retryAfter: 1 });
    }
  });

  it('refuses a long body at once, unread, when nobody more may wait', async () => {
    const waiting = Array.from({ length: 4 }, (_, n) =>
      app.graphql('{ me { id } }', { handle: handles[n === 0 ? 4 : n] }),
    );
    const long = { query: `{ me { id } } # ${'x'.repeat(3000)}` };
    await eventually(async () => {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(long),
      });
      expect(response.status).toBe(503);
    });
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(503);
  });
});

describe('callers who make up a handle for each request', () => {
  it('take no more places than one address may have, and none from sessions that there are', async () => {
    const platform = await startUserPlatform();
    const app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl, MAX_IN_FLIGHT: '40' });
    const handle = await bearerHandle(app.graphql, { username: 'user' });
    const held = gate();
    platform.before('POST auth/login', () => held.passed);
    const login = `mutation ($user: String!) { login(input: {username: $user, password: "right", transport: BEARER}) { expiresAt } }`;
    const slow = Array.from({ length: 60 }, (_, n) =>
      app.graphql(login, { variables: { user: `user ${n}` }, handle: newHandle() }),
    );
    let answered = 0;
    for (const each of slow) void each.then(() => (answered += 1));
    await eventually(() => platform.count('POST auth/login') === 11 && answered === 50);
    expect((await app.graphql('{ me { id } }', { handle })).errors).toBeUndefined();
    held.open();
    const codes = (await Promise.all(slow)).map(({ errors }) => errors?.[0]?.extensions.reason);
    expect(codes.filter((reason) => reason === undefined)).toHaveLength(10);
    expect(codes.filter((reason) => reason === 'ADDRESS_BUSY')).toHaveLength(50);
    await app.close();
  });
});

describe('a session with all its places taken', () => {
  let platform: UserPlatform;
  let app: TestApp;
  let held: Gate;
  beforeAll(async () => {
    platform = await startUserPlatform();
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl, MAX_IN_FLIGHT_PER_SESSION: '2' });
    held = gate();
  });
  afterAll(() => app.close());

  it('is refused more, while every other session is served', async () => {
    const [hog, other] = [
      await bearerHandle(app.graphql, { username: 'hog' }),
      await bearerHandle(app.graphql, { username: 'other' }),
    ];
    platform.before('GET projects', () => held.passed);
    const inFlight = [1, 2].map(() => app.graphql(PROJECTS, { handle: hog }));
    await eventually(() => platform.count('GET projects') === 1);
    const { status, errors } = await app.graphql('{ me { id } }', { handle: hog });
    expect(status).toBe(503);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'OVERLOADED', reason: 'SESSION_BUSY' });
    const { data } = await app.graphql('{ me { id } }', { handle: other });
    expect(data.me.id).toBe('other');

    const waiting = app.graphql('{ me { id } }', { handle: hog });
    held.open();
    expect((await waiting).data.me.id).toBe('hog');
    await Promise.all(inFlight);
  });
});
