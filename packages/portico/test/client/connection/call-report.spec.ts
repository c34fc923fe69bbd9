import { describe, expect, it } from 'vitest';
import { PlatformClient, type PlatformCall } from '../../../src/client/index.js';
import { loggedIn } from '../../support/client/logged-in.js';
import { startScriptedPlatform } from '../../support/embedded-platform/scripted-platform.js';
import { startPlatform } from '../../support/embedded-platform/start-platform.js';

describe('the observer of a client', () => {
  it('receives each call after it ended: method, path, status, milliseconds, and nothing else', async () => {
    await using platform = await startPlatform();
    const calls: PlatformCall[] = [];
    const client = new PlatformClient({ baseUrl: platform.baseUrl, onCall: (call) => calls.push(call) });
    const session = client.openSession();
    await session.login({ username: 'demo', password: 'demo' });
    await session.request('GET', '/sessions?CANARY=1');
    await expect(session.request('GET', 'nothing')).rejects.toThrow();
    await client.close();

    const milliseconds = expect.any(Number);
    expect(calls).toEqual([
      { method: 'POST', path: 'auth/login', status: 204, milliseconds },
      { method: 'GET', path: 'sessions', status: 200, milliseconds },
      { method: 'GET', path: 'nothing', status: 404, milliseconds },
    ]);
  });

  it('receives a call without a response', async () => {
    const platform = await startPlatform();
    const calls: PlatformCall[] = [];
    const client = new PlatformClient({ baseUrl: platform.baseUrl, onCall: (call) => calls.push(call) });
    await platform.close();
    await expect(client.openSession().login()).rejects.toThrow();
    await client.close();

    expect(calls).toMatchObject([{ path: 'auth/login', status: undefined }]);
  });

  it('cannot break a call', async () => {
    await using platform = await startPlatform();
    const client = new PlatformClient({
      baseUrl: platform.baseUrl,
      onCall: () => {
        throw new Error('the observer fails');
      },
    });
    const session = client.openSession();
    await session.login();
    expect(session.hasSession()).toBe(true);
    await client.close();
  });
});

describe('an observer of one call', () => {
  const redirect = { status: 302, headers: { location: '/api/projects/all' } };
  const busy = { status: 503, body: 'busy' };
  const login = { status: 204, headers: { 'X-SVC-AuthToken': 'token' } };

  it('follows its redirects and its retry, and hears of its end', async () => {
    const { baseUrl } = await startScriptedPlatform({
      'POST auth/login': login,
      'GET projects': [busy, redirect],
      'GET projects/all': { status: 200, body: [] },
    });
    const seen: unknown[] = [];
    const session = await loggedIn(baseUrl, {
      observeCall: ({ method, path }) =>
        path === 'projects'
          ? {
              redirected: (status) => seen.push({ redirected: status }),
              retried: (cause) => seen.push({ retried: cause }),
              ended: (call, error) => seen.push({ ended: call, error }),
            }
          : void seen.push(`${method} ${path}`),
    });
    await session.getProjects();

    expect(seen).toEqual([
      'POST auth/login',
      { retried: { status: 503, error: undefined, waitMs: expect.any(Number) } },
      { redirected: 302 },
      {
        ended: { method: 'GET', path: 'projects', status: 200, milliseconds: expect.any(Number) },
        error: undefined,
      },
    ]);
  });

  it('is given the error that the call rejects with', async () => {
    const { baseUrl } = await startScriptedPlatform({
      'POST auth/login': login,
      'GET projects': { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    });
    const errors: unknown[] = [];
    const session = await loggedIn(baseUrl, {
      observeCall: () => ({ ended: (_call, error) => errors.push(error) }),
    });
    const failure = await session.getProjects().catch((error: unknown) => error);

    expect(errors).toEqual([undefined, failure]);
  });

  it('adds headers to each request of the call, and overrides none of the client', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': login,
      'GET projects': redirect,
      'GET projects/all': { status: 200, body: [] },
    });
    const session = await loggedIn(platform.baseUrl, {
      observeCall: () => ({ headers: { traceparent: 'of-the-observer', accept: 'text/plain' } }),
    });
    await session.getProjects();

    expect(platform.requests.map(({ headers }) => headers.traceparent)).toEqual(
      Array(3).fill('of-the-observer'),
    );
    for (const { headers } of platform.requests) expect(headers.accept).not.toBe('text/plain');
  });

  it('cannot break a call, wherever it fails', async () => {
    const { baseUrl } = await startScriptedPlatform({
      'POST auth/login': login,
      'GET projects': [busy, redirect],
      'GET projects/all': { status: 200, body: [] },
    });
    const fail = (): never => {
      throw new Error('the observer fails');
    };
    const session = await loggedIn(baseUrl, {
      observeCall: ({ path }) =>
        path === 'auth/login' ? fail() : { redirected: fail, retried: fail, ended: fail },
    });

    await expect(session.getProjects()).resolves.toEqual([]);
  });
});
