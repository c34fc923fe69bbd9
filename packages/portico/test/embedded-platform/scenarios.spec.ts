import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { DEMO_LOGINS } from '../../src/embedded-platform/index.js';
import { ROUTES } from '../../src/embedded-platform/operations.js';
import { startPlatform, type StartedPlatform } from '../support/embedded-platform/start-platform.js';
import { expectRefusal } from './expect-refusal.js';
import { jsonOf, statusOf, Wire } from './wire.js';

describe('the scenario logins of the embedded platform', () => {
  let platform: StartedPlatform;
  let wire: Wire;
  beforeEach(async () => {
    platform = await startPlatform();
    wire = new Wire(platform.baseUrl);
  });
  afterEach(() => platform.close());

  it('are all listed for a start screen, with their password', async () => {
    expect(DEMO_LOGINS.password).toBe('demo');
    expect(DEMO_LOGINS.apiKey).toBe('demo-api-key');
    expect(DEMO_LOGINS.users.map(({ username }) => username)).toEqual([
      'demo',
      'expired-password',
      'locked',
      'disabled',
      'server-full',
      'no-privileges',
      'session-limit',
      'short-session',
      'slow',
      'flaky',
      'backend-down',
      'many-projects',
      'twin-projects',
    ]);
    for (const { shows } of DEMO_LOGINS.users) expect(shows).toMatch(/\w/);
    await expect(wire.loginAs(DEMO_LOGINS.users[0]?.username ?? '')).resolves.toBeDefined();
  });

  describe.each([
    ['expired-password', { status: 401, code: 'ERR003', iServerCode: -2147216963 }],
    ['locked', { status: 401, code: 'ERR003', iServerCode: -2147202287 }],
    ['disabled', { status: 401, code: 'ERR003', iServerCode: -2147216965 }],
    ['server-full', { status: 500, code: 'ERR001', iServerCode: -2147073423 }],
  ])('%s', (username, refusal) => {
    it('refuses the login in every mode, and says why', async () => {
      for (const json of [
        { username, password: 'demo', loginMode: 1 },
        { username, password: 'demo', loginMode: 16 },
        { username, loginMode: 4096 },
      ]) {
        await expectRefusal(wire.call('POST auth/login', { json }), refusal);
      }
    });

    it('does not appear with a wrong password', async () => {
      await expectRefusal(
        wire.call('POST auth/login', { json: { username, password: 'wrong', loginMode: 1 } }),
        { status: 401, code: 'ERR003', iServerCode: -2147216959 },
      );
    });
  });

  it('no-privileges logs in and is refused the projects', async () => {
    const session = await wire.loginAs('no-privileges');

    await expectRefusal(wire.call('GET projects', { session }), {
      status: 403,
      code: 'ERR014',
      iServerCode: -2147213784,
    });
    expect(await statusOf(wire.call('GET sessions/userInfo', { session }))).toBe(200);
    expect(await statusOf(wire.call('GET sessions', { session }))).toBe(200);
  });

  it('session-limit logs in, and meets the limit at the first call within a project', async () => {
    const session = await wire.loginAs('session-limit');
    const [project] = await jsonOf<{ id: string }[]>(wire.call('GET projects', { session }));
    const headers = { 'X-SVC-ProjectID': project?.id ?? '' };

    for (const operation of ['GET sessions', 'GET sessions/userInfo', 'PUT sessions', 'GET projects']) {
      await expectRefusal(wire.call(operation, { session, headers }), {
        status: 500,
        code: 'ERR001',
        iServerCode: -2147072486,
      });
    }
  });

  it('session-limit may do all that is not within a project, however many sessions it opens', async () => {
    const sessions = [
      await wire.loginAs('session-limit'),
      await wire.login({ username: 'session-limit', loginMode: 4096 }),
    ];
    for (const session of sessions) {
      for (const operation of ['GET projects', 'GET sessions', 'GET sessions/userInfo']) {
        expect(await statusOf(wire.call(operation, { session }))).toBe(200);
      }
      expect(await statusOf(wire.call('PUT sessions', { session }))).toBe(204);
      const headers = { 'X-SVC-ProjectID': 'ANY' };
      expect(await statusOf(wire.call('POST auth/identityToken', { session, headers }))).toBe(201);
      expect(await statusOf(wire.call('POST auth/logout', { session, headers }))).toBe(204);
    }
  });

  it('short-session times out after five idle seconds', async () => {
    const session = await wire.loginAs('short-session');
    expect(await jsonOf(wire.call('GET sessions', { session }))).toMatchObject({ timeout: 5 });

    platform.clock.advance(4999);
    expect(await statusOf(wire.call('PUT sessions', { session }))).toBe(204);
    platform.clock.advance(5000);
    await expectRefusal(wire.call('GET sessions', { session }), { status: 401, code: 'ERR009' });
  });

  it('slow gets every answer two seconds late, logins and refusals included', async () => {
    const waited = async (act: () => Promise<unknown>): Promise<number> => {
      const before = platform.clock.now();
      await act();
      return platform.clock.now() - before;
    };
    const session = await wire.loginAs('slow');

    expect(await waited(() => wire.loginAs('slow'))).toBe(2000);
    expect(await waited(async () => wire.delegate(await wire.mintIdentityToken(session)))).toBe(4000);
    expect(await waited(() => wire.call('GET projects', { session }))).toBe(2000);
    expect(
      await waited(() => wire.call('GET sessions', { session, headers: { 'X-SVC-ProjectID': 'NONE' } })),
    ).toBe(2000);
    expect(await waited(() => wire.call('POST auth/logout', { session }))).toBe(2000);
    expect(await waited(() => wire.loginAs('demo'))).toBe(0);
  });

  it('slow delays no one else', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await using holding = await startPlatform({ wait: () => held });
    const holdingWire = new Wire(holding.baseUrl);
    const late = holdingWire.loginAs('slow');

    expect((await holdingWire.loginAs('demo')).headers).toHaveProperty('cookie');
    release();
    expect((await late).headers).toHaveProperty('cookie');
  });

  it('flaky gets a 503 for every third call of a session, and keeps the session', async () => {
    const session = await wire.loginAs('flaky');
    const statuses: number[] = [];
    for (let call = 1; call <= 6; call += 1) {
      statuses.push(await statusOf(wire.call('GET sessions', { session })));
    }

    expect(statuses).toEqual([200, 200, 503, 200, 200, 503]);
  });

  it('flaky gets its 503 without JSON, and the call is not carried out', async () => {
    const session = await wire.loginAs('flaky');
    await wire.call('GET sessions', { session });
    await wire.call('GET sessions', { session });

    const away = await wire.call('POST auth/logout', { session });

    expect(away.status).toBe(503);
    expect(away.headers.get('content-type')).toBe('text/html');
    await expect(away.json()).rejects.toMatchObject({ name: 'SyntaxError' });
    expect(await statusOf(wire.call('GET sessions', { session }))).toBe(200);
  });

  it('backend-down can log in and out, and every call in between finds no back end', async () => {
    const session = await wire.loginAs('backend-down');

    const operations = [...ROUTES].flatMap(([operation, route]) => ('inSession' in route ? [operation] : []));
    for (const operation of operations.filter((each) => each !== 'POST auth/logout')) {
      await expectRefusal(wire.call(operation, { session }), {
        status: 500,
        code: 'ERR0013',
        iServerCode: -2147207419,
      });
    }
    expect(await statusOf(wire.call('POST auth/logout', { session }))).toBe(204);
  });

  it('many-projects lists 5,000 projects with different ids and names', async () => {
    const session = await wire.loginAs('many-projects');
    const projects = await jsonOf<{ id: string; name: string }[]>(wire.call('GET projects', { session }));

    expect(projects).toHaveLength(5000);
    expect(new Set(projects.map(({ id }) => id)).size).toBe(5000);
    expect(new Set(projects.map(({ name }) => name)).size).toBe(5000);
  });

  it('twin-projects lists two projects with one name and different ids', async () => {
    const session = await wire.loginAs('twin-projects');
    const projects = await jsonOf<{ id: string; name: string }[]>(wire.call('GET projects', { session }));
    const twins = projects.filter(({ name }) => name === 'Retail Sales');

    expect(twins).toHaveLength(2);
    expect(new Set(projects.map(({ id }) => id)).size).toBe(projects.length);
    expect(new Set(projects.map(({ name }) => name)).size).toBe(projects.length - 1);
  });
});
