import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Agent, request } from 'undici';
import { LoginRecords } from '../../../src/session/store/login-records.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type Gate, gate } from '../../../packages/portico/test/support/gate.js';

const LOGIN = 'login(input: {username: "demo", password: "demo", transport: BEARER})';
const TOKEN = { 'X-SVC-AuthToken': 'a-token-of-the-platform' };

describe('the login of a caller who hangs up', () => {
  let login: Gate;
  let userInfo: Gate;
  let platform: ScriptedPlatform;
  let app: TestApp;
  /** Its own: `fetch` may open another connection for nobody, and the end of the service would wait for that. */
  let agent: Agent;
  beforeEach(async () => {
    login = gate();
    userInfo = gate();
    platform = await startScriptedPlatform({
      'POST auth/login': async (_request, response) => {
        await login.passed;
        response.writeHead(204, TOKEN).end();
      },
      'POST auth/logout': { status: 204 },
      'GET sessions/userInfo': async (_request, response) => {
        await userInfo.passed;
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}');
      },
    });
    agent = new Agent();
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl, LOGIN_FAILURES_PER_MINUTE: '1' });
  });
  afterEach(async () => {
    login.open();
    userInfo.open();
    vi.restoreAllMocks();
    await agent.destroy();
    await app.close();
    await platform.close();
  });

  const post = (query: string, signal: AbortSignal): Promise<string> =>
    request(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: `mutation { ${query} }` }),
      signal,
      dispatcher: agent,
    }).then(
      ({ body }) => body.text(),
      () => 'hung up',
    );
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      app.app.getHttpServer().getConnections((error, count) => {
        if (error === null) resolve(count);
        else reject(error);
      });
    });

  it('is not made if it was still waiting for its turn', async () => {
    const look = vi.spyOn(app.app.get<LoginRecords>(LoginRecords), 'look');
    const stays = new AbortController();
    const leave = new AbortController();
    const first = post(`${LOGIN} { handle }`, stays.signal);
    await eventually(() => {
      expect(platform.count('POST auth/login')).toBe(1);
    });
    const others = Array.from({ length: 30 }, () => post(`${LOGIN} { handle }`, leave.signal));
    await eventually(() => {
      expect(look).toHaveBeenCalledTimes(31);
    });
    leave.abort();
    await Promise.all(others);
    await eventually(async () => {
      expect(await connections()).toBe(1);
    });
    login.open();
    expect(JSON.parse(await first)).toMatchObject({ data: { login: { handle: expect.any(String) } } });
    expect(await post(`${LOGIN} { handle }`, stays.signal)).toContain('"handle"');
    expect(platform.count('POST auth/login')).toBe(2);
    expect(platform.count('POST auth/logout')).toBe(0);
  });

  it('is logged out again if the platform was asked already', async () => {
    const leave = new AbortController();
    const answer = post(`${LOGIN} { handle }`, leave.signal);
    await eventually(() => {
      expect(platform.count('POST auth/login')).toBe(1);
    });
    leave.abort();
    await answer;
    await eventually(async () => {
      expect(await connections()).toBe(0);
    });
    login.open();
    await eventually(() => {
      expect(platform.count('POST auth/logout')).toBe(1);
    });
  });

  it('is logged out again if the answer was being made', async () => {
    login.open();
    const leave = new AbortController();
    const answer = post(`${LOGIN} { handle me { id } }`, leave.signal);
    await eventually(() => {
      expect(platform.count('GET sessions/userInfo')).toBe(1);
    });
    leave.abort();
    await answer;
    await eventually(() => {
      expect(platform.count('POST auth/logout')).toBe(1);
    });
  });

  it('stays logged in for a caller who hangs up after the answer', async () => {
    login.open();
    const stays = new AbortController();
    const text = await post(`${LOGIN} { handle }`, stays.signal);
    stays.abort();
    app.app.getHttpServer().closeAllConnections();
    await eventually(async () => {
      expect(await connections()).toBe(0);
    });
    const { data } = JSON.parse(text) as { data: { login: { handle: string } } };
    const { data: read } = await app.graphql('{ hasSession }', { handle: data.login.handle });
    expect(read.hasSession).toBe(true);
    expect(platform.count('POST auth/logout')).toBe(0);
  });
});
