import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startPlatform, type StartedPlatform } from '../support/embedded-platform/start-platform.js';
import { expectRefusal } from './expect-refusal.js';
import { jsonOf, Wire } from './wire.js';

const WRONG_CREDENTIALS = { status: 401, code: 'ERR003', iServerCode: -2147216959 };

describe('logging in to the embedded platform', () => {
  let platform: StartedPlatform;
  let wire: Wire;
  beforeAll(async () => {
    platform = await startPlatform();
    wire = new Wire(platform.baseUrl);
  });
  afterAll(() => platform.close());

  const login = (json: unknown): Promise<Response> => wire.call('POST auth/login', { json });
  const userOf = async (fields: Record<string, unknown>): Promise<string> => {
    const session = await wire.login(fields);
    const user = await jsonOf<{ fullName: string }>(wire.call('GET sessions/userInfo', { session }));
    return user.fullName;
  };

  it('answers 204 without a body, with a token and a cookie for the context path', async () => {
    const response = await login({ username: 'demo', password: 'demo', loginMode: 1, applicationType: 8 });

    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(response.headers.get('content-type')).toBeNull();
    expect(response.headers.get('x-svc-authtoken')).toMatch(/^[0-9a-v]{26}$/);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^JSESSIONID=[0-9A-F]{32}; Path=\/api; HttpOnly$/),
    ]);
    expect(response.headers.get('cache-control')).toContain('no-store');
  });

  it.each([
    ['user name and password', { username: 'demo', password: 'demo', loginMode: 1 }, 'Dana Demo'],
    ['API key', { username: 'demo-api-key', loginMode: 4096 }, 'Dana Demo'],
    ['trusted user name', { username: 'demo', loginMode: 4096 }, 'Dana Demo'],
    ['trusted name of a scenario user', { username: 'twin-projects', loginMode: 4096 }, 'Toni Twinprojects'],
    ['LDAP user name and password', { username: 'demo', password: 'demo', loginMode: 16 }, 'Dana Demo'],
    ['no credentials', { loginMode: 8 }, 'Guest'],
  ])('knows who logs in by %s', async (_by, fields, fullName) => {
    expect(await userOf(fields)).toBe(fullName);
  });

  const WITHOUT_MODE: [string, Record<string, string>, string][] = [
    ['a user name and a password', { username: 'demo', password: 'demo' }, 'Dana Demo'],
    ['an API key', { username: 'demo-api-key' }, 'Dana Demo'],
    ['a user name alone', { username: 'twin-projects' }, 'Toni Twinprojects'],
    ['no credentials', { timeZone: 'UTC' }, 'Guest'],
    ['a password alone', { password: 'demo' }, 'Guest'],
  ];

  it.each(WITHOUT_MODE)(
    'chooses the login mode by %s when it is left out',
    async (_what, fields, fullName) => {
      const { username = null, ...rest } = fields;
      for (const options of [{ json: fields }, { json: { username, ...rest } }, { form: fields }]) {
        const session = wire.hold(await wire.call('POST auth/login', options));
        expect(await jsonOf(wire.call('GET sessions/userInfo', { session }))).toMatchObject({ fullName });
      }
    },
  );

  it.each([
    ['in JSON', { json: { username: 'demo', password: 'demo', loginMode: 1 } }],
    ['in JSON, with null', { json: { loginMode: 8, applicationType: null } }],
    ['in a form', { form: { username: 'demo', password: 'demo', loginMode: '1' } }],
  ])('does not need an application type %s', async (_how, options) => {
    expect((await wire.call('POST auth/login', options)).status).toBe(204);
  });

  it('checks the password when the login mode is left out', async () => {
    await expectRefusal(login({ username: 'demo', password: 'wrong' }), WRONG_CREDENTIALS);
    await expectRefusal(login({ username: 'demo', password: '' }), WRONG_CREDENTIALS);
    await expectRefusal(login({ username: '' }), { status: 400, code: 'ERR005' });
    await expectRefusal(login({ username: '', password: 'demo' }), { status: 400, code: 'ERR005' });
  });

  it('checks the password of an LDAP login', async () => {
    const ldap = { username: 'demo', password: 'wrong', loginMode: 16 };

    await expectRefusal(login(ldap), WRONG_CREDENTIALS);
    await expectRefusal(login({ ...ldap, username: 'demo-api-key', password: 'demo' }), WRONG_CREDENTIALS);
  });

  it('refuses an application type that is not a whole number', async () => {
    for (const applicationType of ['web', 1.5, true, []]) {
      await expectRefusal(login({ loginMode: 8, applicationType }), { status: 400, code: 'ERR006' });
    }
  });

  it('accepts numbers as strings and ignores unknown fields', async () => {
    const fields = {
      username: 'demo',
      password: 'demo',
      loginMode: '1',
      applicationType: '35',
      workingSet: 10,
    };

    expect(await userOf(fields)).toBe('Dana Demo');
  });

  it('accepts a URL-encoded form', async () => {
    const form = { username: 'demo', password: 'demo', loginMode: '1', applicationType: '76' };

    const session = wire.hold(await wire.call('POST auth/login', { form }));

    expect((await wire.call('GET sessions', { session })).status).toBe(200);
  });

  it('answers a wrong user, a wrong password and an unknown API key alike', async () => {
    await expectRefusal(
      login({ username: 'nobody', password: 'demo', loginMode: 1, applicationType: 8 }),
      WRONG_CREDENTIALS,
    );
    await expectRefusal(
      login({ username: 'demo', password: 'wrong', loginMode: 1, applicationType: 8 }),
      WRONG_CREDENTIALS,
    );
    await expectRefusal(
      login({ username: 'no-such-key', loginMode: 4096, applicationType: 8 }),
      WRONG_CREDENTIALS,
    );

    const texts = await Promise.all(
      ['nobody', 'demo', 'locked'].map(async (username) => {
        const json = { username, password: 'wrong', loginMode: 1, applicationType: 8 };
        return (await (await login(json)).text()).replace(/"ticketId":"\w+"/, '');
      }),
    );
    expect(new Set(texts).size).toBe(1);
  });

  it.each([-1, 0, 2, 64, 1048576, '1.0', 1.5, true, [1], {}])('refuses login mode %j', async (loginMode) => {
    await expectRefusal(login({ username: 'demo', password: 'demo', loginMode, applicationType: 8 }), {
      status: 400,
      code: 'ERR006',
    });
  });

  it.each([
    ['username', { password: 'demo', loginMode: 1, applicationType: 8 }],
    ['password', { username: 'demo', loginMode: 1, applicationType: 8 }],
    ['username', { loginMode: 4096, applicationType: 8 }],
    ['password', { username: 'demo', loginMode: 16, applicationType: 8 }],
    ['username', { username: null, loginMode: 4096, applicationType: 8 }],
  ])('names the missing field %s', async (field, json) => {
    await expectRefusal(login(json), { status: 400, code: 'ERR007' });
    expect(await (await login(json)).text()).toContain(field);
  });

  it('does not find fields in the prototype of a body', async () => {
    const body = '{"__proto__":{"username":"demo","password":"demo"},"loginMode":1}';

    await expectRefusal(
      wire.call('POST auth/login', { body, headers: { 'content-type': 'application/json' } }),
      { status: 400, code: 'ERR007' },
    );
  });

  it('refuses an empty user name as missing information', async () => {
    await expectRefusal(login({ username: '', loginMode: 4096, applicationType: 8 }), {
      status: 400,
      code: 'ERR005',
    });
  });

  it('treats an empty password as wrong', async () => {
    await expectRefusal(
      login({ username: 'demo', password: '', loginMode: 1, applicationType: 8 }),
      WRONG_CREDENTIALS,
    );
  });

  it('refuses a password that is not a string', async () => {
    await expectRefusal(login({ username: 'demo', password: ['demo'], loginMode: 1, applicationType: 8 }), {
      status: 400,
      code: 'ERR006',
    });
  });

  it('opens a new session each time, even when the old cookie is sent along', async () => {
    const first = await wire.loginAs('demo');
    const json = { username: 'demo', password: 'demo', loginMode: 1, applicationType: 8 };

    const second = wire.hold(await wire.call('POST auth/login', { json, session: first }));

    expect(second.headers['X-SVC-AuthToken']).not.toBe(first.headers['X-SVC-AuthToken']);
    expect(second.headers.cookie).not.toBe(first.headers.cookie);
    expect((await wire.call('GET sessions', { session: first })).status).toBe(200);
  });

  it('refuses a login when it holds as many sessions as it may, and accepts it again when one has ended', async () => {
    await using small = await startPlatform({ maxSessions: 2 });
    const smallWire = new Wire(small.baseUrl);
    const session = await smallWire.loginAs('demo');
    await smallWire.loginAs('demo');
    const json = { loginMode: 8, applicationType: 8 };

    await expectRefusal(smallWire.call('POST auth/login', { json }), {
      status: 500,
      code: 'ERR001',
      iServerCode: -2147073423,
    });
    await smallWire.call('POST auth/logout', { session });
    expect((await smallWire.call('POST auth/login', { json })).status).toBe(204);
  });
});
