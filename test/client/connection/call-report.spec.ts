import { describe, expect, it } from '@jest/globals';
import { PlatformClient, type PlatformCall } from '../../../src/client/index.js';
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
