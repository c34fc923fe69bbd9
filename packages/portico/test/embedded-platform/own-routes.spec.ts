import { describe, expect, it } from 'vitest';
import { PlatformSession, SessionError } from '../../src/client/index.js';
import {
  type EmbeddedCall,
  type EmbeddedRoute,
  startEmbeddedPlatform,
} from '../../src/embedded-platform/index.js';

const report: EmbeddedRoute = (request, { params, user, projectId }) =>
  Response.json({ ...params, user, projectId, query: new URL(request.url).search });

describe('the embedded platform in a test of your own', () => {
  async function loggedIn(baseUrl: string): Promise<PlatformSession> {
    const session = new PlatformSession(baseUrl);
    await session.login({ username: 'demo', password: 'demo' });
    return session;
  }

  it('has routes of your own, within sessions and projects', async () => {
    await using platform = await startEmbeddedPlatform({ routes: { 'GET reports/{id}/rows/{row}': report } });
    await using session = await loggedIn(platform.baseUrl);
    const [project] = await session.getProjects();

    const response = await session.request('GET', 'reports/{id}/rows/7', {
      pathParams: { id: 'a b/c' },
      query: { limit: 2 },
      projectId: project?.id,
    });

    expect(response.json()).toEqual({
      id: 'a b/c',
      row: '7',
      user: 'demo',
      projectId: project?.id,
      query: '?limit=2',
    });
    const foreign = session.request('GET', 'reports/1/rows/2', { projectId: 'unknown' });
    await expect(foreign).rejects.toMatchObject({ kind: 'not-found' });
    const outside = session.request('GET', 'reports/1/rows/2', { includeAuth: false });
    await expect(outside).rejects.toThrow(SessionError);
  });

  it('has no back end behind them either for the user whose back end is down', async () => {
    await using platform = await startEmbeddedPlatform({ routes: { 'GET reports/{id}/rows/{row}': report } });
    await using session = new PlatformSession(platform.baseUrl);
    await session.login({ username: 'backend-down', password: 'demo' });

    const refused = session.request('GET', 'reports/1/rows/2');

    await expect(refused).rejects.toMatchObject({ code: 'ERR0013', iserverCode: '-2147207419' });
    await session.logout();
  });

  it('takes uploads and answers with anything that a Response can be', async () => {
    await using platform = await startEmbeddedPlatform({
      routes: {
        'POST files': async (request) => {
          const body = await request.arrayBuffer();
          return new Response(body, { status: 201, headers: { 'content-type': 'application/pdf' } });
        },
        'GET projects': () => Response.json([{ id: '1', name: 'Mine' }]),
      },
    });
    await using session = await loggedIn(platform.baseUrl);
    const bytes = Buffer.alloc(300_000, 7);

    const file = await session.fetch('files', { method: 'POST', body: bytes });

    expect([file.status, file.headers.get('content-type')]).toEqual([201, 'application/pdf']);
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
    expect(await session.getProjects()).toEqual([{ id: '1', name: 'Mine' }]);
  });

  it('says which calls were made, without what is secret', async () => {
    const reported: EmbeddedCall[] = [];
    await using platform = await startEmbeddedPlatform({
      routes: {
        'GET broken': () => {
          throw new Error('of the test');
        },
      },
      onCall: (call) => reported.push(call),
    });
    await using session = await loggedIn(platform.baseUrl);

    await session.getProjects();
    await expect(session.request('GET', 'broken?a=1')).rejects.toMatchObject({ status: 500 });

    expect(platform.calls).toMatchObject([
      { method: 'POST', path: 'auth/login', status: 204, user: undefined },
      { method: 'GET', path: 'projects', status: 200, user: 'demo' },
      { method: 'GET', path: 'broken', query: 'a=1', status: 500, error: new Error('of the test') },
    ]);
    expect(reported).toEqual(platform.calls);
    expect(JSON.stringify(platform.calls)).not.toContain('password');
  });

  it('remembers the latest thousand calls', async () => {
    await using platform = await startEmbeddedPlatform();

    for (let nth = 0; nth < 1003; nth += 1) await fetch(`${platform.baseUrl}/status?nth=${nth}`);

    expect([platform.calls.length, platform.calls.at(0)?.query, platform.calls.at(-1)?.query]).toEqual([
      1000,
      'nth=3',
      'nth=1002',
    ]);
  });

  it('lets all sessions expire', async () => {
    await using platform = await startEmbeddedPlatform();
    await using session = await loggedIn(platform.baseUrl);

    platform.expireSessions();

    await expect(session.getUserInfo()).rejects.toMatchObject({ kind: 'session-expired' });
  });

  it.each(['reports', 'GET /reports', 'FETCH reports', 'GET reports?a=1'])(
    'rejects a route that it could never serve: %s',
    async (route) => {
      await expect(startEmbeddedPlatform({ routes: { [route]: report } })).rejects.toThrow(route);
    },
  );
});
