import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startPlatform, type StartedPlatform } from '../../support/embedded-platform/start-platform.js';
import { formOf, type PlainAnswer, PlainHttp } from './plain-http.js';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'Content-Type': 'application/json' };

/** The vendor's Python client: forms, except for the login by API token; numbers of forms are strings. */
describe("the vendor's Python client", () => {
  let platform: StartedPlatform;
  let http: PlainHttp;
  let session: Record<string, string>;
  beforeEach(async () => {
    platform = await startPlatform({ vendor: 'MSTR', path: '/MicroStrategyLibrary/api' });
    http = new PlainHttp(platform.baseUrl, {
      'User-Agent': 'python-requests/2.32.3',
      'Accept-Encoding': 'gzip, deflate',
      Accept: '*/*',
      Connection: 'keep-alive',
    });
    session = {};
  });
  afterEach(async () => {
    http.close();
    await platform.close();
  });

  const holdSession = (answer: PlainAnswer): PlainAnswer => {
    expect(answer.status).toBe(204);
    session = { 'X-MSTR-AuthToken': String(answer.headers['x-mstr-authtoken']) };
    return answer;
  };
  const loginByForm = (fields: Record<string, string>): Promise<PlainAnswer> =>
    http.send('POST auth/login', FORM, formOf({ ...fields, applicationType: '76' }));
  const jsonOf = ({ body }: PlainAnswer): Record<string, unknown> =>
    JSON.parse(body) as Record<string, unknown>;

  /** What follows each login: the timeout of the session, then the version of the server, without its token. */
  const connect = async (): Promise<void> => {
    expect(jsonOf(await http.send('GET sessions', session)).timeout).toEqual(expect.any(Number));
    const { iServerVersion } = jsonOf(await http.send('GET status'));
    // Below this version it would log in a second time, and leave the first session open.
    expect(String(iServerVersion) >= '11.5.0600').toBe(true);
  };
  const close = async (): Promise<void> => {
    expect((await http.send('POST auth/logout', session)).status).toBe(204);
    expect((await http.send('GET sessions', session)).status).toBe(401);
  };

  it.each([
    ['standard', { username: 'demo', password: 'demo', loginMode: '1' }],
    ['LDAP', { username: 'demo', password: 'demo', loginMode: '16' }],
    ['anonymous', { loginMode: '8' }],
    ['anonymous, with empty credentials', { username: '', password: '', loginMode: '8' }],
  ])('connects by a form (%s) and closes', async (_mode, fields) => {
    holdSession(await loginByForm(fields));
    await connect();
    await close();
  });

  it('connects by API token, as JSON, and closes', async () => {
    const body = JSON.stringify({ loginMode: 4096, applicationType: 76, username: 'demo-api-key' });
    holdSession(await http.send('POST auth/login', JSON_BODY, body));
    await connect();
    await close();
  });

  it('connects by identity token, with its login mode as a string, and checks the token first', async () => {
    holdSession(await loginByForm({ username: 'demo', password: 'demo', loginMode: '1' }));
    const created = await http.send('POST auth/identityToken', session);
    const identityToken = String(created.headers['x-mstr-identitytoken']);
    const check = { 'X-MSTR-IdentityToken': identityToken };
    expect(created.status).toBe(201);
    expect((await http.send('GET auth/identityToken', check)).status).toBe(200);

    holdSession(
      await http.send('POST auth/delegate', JSON_BODY, JSON.stringify({ loginMode: '-1', identityToken })),
    );

    await connect();
    expect((await http.send('GET auth/identityToken', check)).status).toBe(401);
    await close();
  });

  it('selects a project by name, works in it, and leaves it for the list and the logout', async () => {
    holdSession(await loginByForm({ username: 'demo', password: 'demo', loginMode: '1' }));
    await connect();
    const projects = JSON.parse((await http.send('GET projects', session)).body) as {
      id: string;
      name: string;
    }[];
    const named = projects.filter(({ name }) => name === 'Supply Chain');
    expect(named).toHaveLength(1);
    const inProject = { ...session, 'X-MSTR-ProjectID': named[0]?.id ?? '' };

    // It tolerates that there is no such object.
    const details = await http.send(`GET objects/${named[0]?.id}?type=32&comments=True`, inProject);
    expect(jsonOf(details)).toMatchObject({ code: 'ERR004' });
    expect((await http.send('GET sessions/userInfo', inProject)).status).toBe(200);
    expect((await http.send('GET projects', session)).status).toBe(200);
    await close();
  });

  it('renews a session that has been idle, and logs in again, with the old cookie, once it has timed out', async () => {
    const fields = { username: 'short-session', password: 'demo', loginMode: '1' };
    holdSession(await loginByForm(fields));
    platform.clock.advance(4999);
    expect((await http.send('PUT sessions', session)).status).toBe(204);

    platform.clock.advance(5000);
    expect((await http.send('PUT sessions', session)).status).toBe(401);
    const oldCookie = http.cookies.get('JSESSIONID');
    holdSession(await loginByForm(fields));

    expect(http.cookies.get('JSESSIONID')).not.toBe(oldCookie);
    await connect();
    await close();
  });

  it('finds code, message and ticket in a refusal', async () => {
    const refused = await loginByForm({ username: 'demo', password: 'wrong', loginMode: '1' });

    expect(refused.status).toBe(401);
    expect(jsonOf(refused)).toMatchObject({
      code: 'ERR003',
      message: expect.any(String),
      ticketId: expect.any(String),
    });
  });
});
