import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  jsonOf,
  statusOf,
  Wire,
  type HeldSession,
} from '../../packages/portico/test/embedded-platform/wire.js';

/** A platform to test against the wire contract, and the logins that it offers. */
export interface PlatformUnderTest {
  readonly baseUrl: string;
  readonly vendor: string;
  readonly username: string;
  readonly password: string;
  /** Without one, the login by API key is reported as skipped. */
  readonly apiKey?: string;
  /** Where guests may not log in, the anonymous login is reported as skipped. */
  readonly anonymous: boolean;
}

const ID = /^[0-9A-F]{32}$/i;
const SHAPE_OF_REFUSAL = { code: expect.stringMatching(/^ERR/), message: expect.any(String) };

/** What every platform does on the wire, whoever runs it. Only reads, and logs out of every session that it opens. */
export function describePlatform(name: string, underTest: PlatformUnderTest): void {
  describe(name, () => {
    const { username, password, apiKey } = underTest;
    const wire = new Wire(underTest.baseUrl, underTest.vendor);
    const itWithApiKey = apiKey === undefined ? it.skip : it;
    const itWithGuests = underTest.anonymous ? it : it.skip;
    let session: HeldSession;

    const refusalOf = async (call: Promise<Response>): Promise<{ status: number; code: number }> => {
      const response = await call;
      const payload = (await response.json()) as { code: string };
      expect(payload).toMatchObject(SHAPE_OF_REFUSAL);
      return { status: response.status, code: Number(payload.code.replace('ERR', '')) };
    };
    const logout = (held: HeldSession): Promise<number> =>
      statusOf(wire.call('POST auth/logout', { session: held }));

    beforeAll(async () => {
      session = await wire.login({ username, password, loginMode: 1 });
    });
    afterAll(() => logout(session));

    it('answers a login with 204, no body, a token and an HttpOnly cookie', async () => {
      const json = { username, password, loginMode: 1, applicationType: 8 };
      const response = await wire.call('POST auth/login', { json });

      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
      expect(response.headers.get(`X-${underTest.vendor}-AuthToken`)).toMatch(/^\w+$/);
      expect(response.headers.getSetCookie().join()).toMatch(/JSESSIONID=\w+;.*HttpOnly/i);
      expect(await logout(wire.hold(response))).toBe(204);
    });

    it('accepts a login as a form', async () => {
      const form = { username, password, loginMode: '1', applicationType: '8' };

      expect(await logout(wire.hold(await wire.call('POST auth/login', { form })))).toBe(204);
    });

    it('accepts a login with a user name and a password only, as JSON and as a form', async () => {
      for (const options of [{ json: { username, password } }, { form: { username, password } }]) {
        expect(await logout(wire.hold(await wire.call('POST auth/login', options)))).toBe(204);
      }
    });

    itWithApiKey(
      `accepts a login by API key${apiKey === undefined ? ' (skipped: none is given)' : ''}`,
      async () => {
        expect(await logout(await wire.login({ username: apiKey, loginMode: 4096 }))).toBe(204);
      },
    );

    itWithGuests(
      `accepts an anonymous login${underTest.anonymous ? '' : ' (skipped: guests may not log in)'}`,
      async () => {
        expect(await logout(await wire.login({ loginMode: 8 }))).toBe(204);
      },
    );

    it('refuses an unknown user with ERR003', async () => {
      const nobody = { username: 'nobody-of-that-name', password: 'none', loginMode: 1, applicationType: 8 };

      expect(await refusalOf(wire.call('POST auth/login', { json: nobody }))).toEqual({
        status: 401,
        code: 3,
      });
    });

    it('refuses a body that is not valid JSON with ERR006', async () => {
      const headers = { 'content-type': 'application/json' };

      expect(await refusalOf(wire.call('POST auth/login', { body: '{"loginMode":', headers }))).toEqual({
        status: 400,
        code: 6,
      });
    });

    it('answers an unknown address with JSON and ERR004', async () => {
      expect(await refusalOf(wire.call('GET hello/dave', { session }))).toEqual({ status: 404, code: 4 });
    });

    it.each(['GET sessions', 'GET projects', 'GET sessions/userInfo', 'PUT sessions'])(
      'answers %s without a session with ERR009',
      async (operation) => {
        expect(await refusalOf(wire.call(operation))).toEqual({ status: 401, code: 9 });
      },
    );

    it('returns the status of a session, with its idle time in seconds', async () => {
      expect(await jsonOf(wire.call('GET sessions', { session }))).toMatchObject({
        timeout: expect.any(Number),
        fullName: expect.any(String),
      });
    });

    it('returns the user', async () => {
      expect(await jsonOf(wire.call('GET sessions/userInfo', { session }))).toMatchObject({
        fullName: expect.any(String),
        initials: expect.any(String),
      });
    });

    it('extends a session with 204', async () => {
      expect(await statusOf(wire.call('PUT sessions', { session }))).toBe(204);
    });

    it('lists projects by id and name, and only the fields asked for', async () => {
      const projects = await jsonOf<unknown[]>(wire.call('GET projects', { session }));
      const ids = await jsonOf<unknown[]>(wire.call('GET projects?fields=id', { session }));

      expect(Array.isArray(projects)).toBe(true);
      for (const project of projects) {
        expect(project).toMatchObject({
          id: expect.stringMatching(ID),
          name: expect.any(String),
          status: expect.any(Number),
        });
      }
      expect(ids).toEqual(projects.map((project) => ({ id: (project as { id: string }).id })));
    });

    it('answers with the content type application/json', async () => {
      const response = await wire.call('GET sessions', { session });
      await response.text();

      expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
    });

    it('answers HEAD like GET, without the body', async () => {
      const response = await wire.call('HEAD sessions', { session });

      expect(response.status).toBe(200);
      expect(await response.text()).toBe('');
    });

    it('returns its versions without a session', async () => {
      expect(await jsonOf(wire.call('GET status'))).toMatchObject({
        webVersion: expect.stringMatching(/^\d+\.\d+/),
        iServerVersion: expect.stringMatching(/^\d+\.\d+/),
      });
    });

    it('can delegate a session, and ends both with one logout', async () => {
      const minter = await wire.login({ username, password, loginMode: 1 });
      const delegated = await wire.delegate(await wire.mintIdentityToken(minter));
      expect(await statusOf(wire.call('GET sessions', { session: delegated }))).toBe(200);

      expect(await logout(delegated)).toBe(204);

      expect(await refusalOf(wire.call('GET sessions', { session: minter }))).toEqual({
        status: 401,
        code: 9,
      });
    });

    it('refuses an unknown identity token with ERR003', async () => {
      const json = { loginMode: -1, identityToken: 'nobodymintedthistoken00000' };

      expect(await refusalOf(wire.call('POST auth/delegate', { json }))).toEqual({ status: 401, code: 3 });
    });

    it('does not accept a session after its logout', async () => {
      const ended = await wire.login({ username, password, loginMode: 1 });

      expect(await logout(ended)).toBe(204);

      expect(await refusalOf(wire.call('GET sessions', { session: ended }))).toEqual({
        status: 401,
        code: 9,
      });
    });
  });
}
