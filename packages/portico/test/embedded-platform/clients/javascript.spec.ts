import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startPlatform, type StartedPlatform } from '../../support/embedded-platform/start-platform.js';
import { formOf, PlainHttp } from './plain-http.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
const JSON_BODY = { 'content-type': 'application/json' };

describe('clients in JavaScript', () => {
  let platform: StartedPlatform;
  let http: PlainHttp;
  beforeEach(async () => {
    platform = await startPlatform({ vendor: 'MSTR', path: '/MicroStrategyLibrary/api' });
    http = new PlainHttp(platform.baseUrl, { accept: 'application/json, text/plain, */*' });
  });
  afterEach(async () => {
    http.close();
    await platform.close();
  });

  const expectFullSession = async (headers: Record<string, string>): Promise<void> => {
    const operations = ['GET projects', 'PUT sessions', 'GET sessions', 'POST auth/logout', 'GET sessions'];
    const statuses: number[] = [];
    for (const operation of operations) statuses.push((await http.send(operation, headers)).status);

    expect(statuses).toEqual([200, 204, 200, 204, 401]);
  };

  it('ask for the status first, log in by a form, and keep the first cookie only', async () => {
    expect((await http.send('GET status')).status).toBe(200);
    const login = await http.send(
      'POST auth/login',
      FORM,
      formOf({ username: 'demo', password: 'demo', loginMode: '1' }),
    );
    expect(login.status).toBe(204);
    http.cookies.clear();

    await expectFullSession({
      'x-mstr-authtoken': String(login.headers['x-mstr-authtoken']),
      cookie: login.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
    });
  });

  it('log in by JSON without an application type', async () => {
    const body = JSON.stringify({ username: 'demo', password: 'demo', loginMode: 1 });
    const login = await http.send('POST auth/login', JSON_BODY, body);

    expect(login.status).toBe(204);
    await expectFullSession({ 'X-MSTR-AuthToken': String(login.headers['x-mstr-authtoken']) });
  });

  it('log in as a guest with nothing but the mode', async () => {
    const login = await http.send('POST auth/login', JSON_BODY, JSON.stringify({ loginMode: 8 }));

    expect(login.status).toBe(204);
    await expectFullSession({ 'X-MSTR-AuthToken': String(login.headers['x-mstr-authtoken']) });
  });

  it('send the fields of a whole login, most of them unknown here', async () => {
    const body = JSON.stringify({
      username: 'demo',
      password: 'demo',
      loginMode: 1,
      applicationType: 35,
      maxSearch: 3,
      workingSet: 10,
      changePassword: false,
      newPassword: null,
      metadataLocale: 'en_us',
      warehouseDataLocale: 'en_us',
      displayLocale: 'en_us',
      messagesLocale: 'en_us',
      numberLocale: 'en_us',
      timeZone: 'UTC',
    });

    expect((await http.send('POST auth/login', JSON_BODY, body)).status).toBe(204);
  });

  it('hand over a session by identity token, with the login mode as a string, in a form or in JSON', async () => {
    const login = await http.send(
      'POST auth/login',
      FORM,
      formOf({ username: 'demo', password: 'demo', loginMode: '1' }),
    );
    const session = { 'x-mstr-authtoken': String(login.headers['x-mstr-authtoken']) };
    const createToken = async (): Promise<string> => {
      const created = await http.send('POST auth/identityToken', session);
      expect(created.status).toBe(201);
      return String(created.headers['x-mstr-identitytoken']);
    };
    const sendForm = async (fields: Record<string, string>): Promise<number> => {
      const other = new PlainHttp(platform.baseUrl);
      const { status } = await other.send('POST auth/delegate', FORM, formOf(fields));
      other.close();
      return status;
    };

    expect(await sendForm({ loginMode: '-1', identityToken: await createToken() })).toBe(204);
    const body = JSON.stringify({ loginMode: '-1', identityToken: await createToken() });
    const delegated = await http.send('POST auth/delegate', JSON_BODY, body);
    expect(delegated.status).toBe(204);
    await expectFullSession({ 'x-mstr-authtoken': String(delegated.headers['x-mstr-authtoken']) });
  });

  it('work in a project, and name none for the list of projects and the logout', async () => {
    const body = JSON.stringify({ username: 'demo', password: 'demo', loginMode: 1 });
    const login = await http.send('POST auth/login', JSON_BODY, body);
    const session = { 'x-mstr-authtoken': String(login.headers['x-mstr-authtoken']) };
    const [project] = JSON.parse((await http.send('GET projects', session)).body) as { id: string }[];

    const inProject = { ...session, 'x-mstr-projectid': project?.id ?? '' };
    expect((await http.send('GET sessions', inProject)).status).toBe(200);
    const noProject = { ...session, 'x-mstr-projectid': '' };
    await expectFullSession(noProject);
  });
});
