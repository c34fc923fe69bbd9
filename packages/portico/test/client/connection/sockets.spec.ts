import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  PlatformClient,
  QueueTimeoutError,
  type CircuitChange,
  type PlatformClientOptions,
  type PlatformSession,
} from '../../../src/client/index.js';
import { holdTimers } from '../../support/client/hold-timers.js';
import { startScriptedPlatform } from '../../support/embedded-platform/scripted-platform.js';
import { eventually } from '../../support/eventually.js';
import { gate } from '../../support/gate.js';

describe.each(['got', 'undici'] as const)('the sockets of a client, by %s,', (transport) => {
  const clients = new Set<PlatformClient>();
  afterAll(async () => {
    await Promise.all([...clients].map((client) => client.close()));
  });

  /** A platform that holds its answers to `GET projects`. */
  async function holding(options: Partial<PlatformClientOptions> = {}) {
    const held = gate();
    const platform = await startScriptedPlatform({
      'POST auth/login': { status: 204, headers: { 'X-SVC-AuthToken': 'token' } },
      'POST auth/logout': { status: 204 },
      'PUT sessions': { status: 204 },
      'GET sessions': { status: 200, body: {} },
      'GET sessions/userInfo': { status: 200, body: { id: 'me' } },
      'GET projects': async (_request, response) => {
        await held.passed;
        response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      },
    });
    const client = new PlatformClient({
      baseUrl: platform.baseUrl,
      transport,
      timeoutMs: 60_000,
      ...options,
    });
    clients.add(client);
    const user = (name: string): PlatformSession =>
      client.restoreSession({
        base_url: platform.baseUrl,
        cookies: [],
        headers: { 'X-SVC-AuthToken': name },
      });
    return { platform, client, user, release: held.open };
  }

  it.each([120, 2000])('taken by a slow read of %d users keep no other call waiting', async (users) => {
    const { platform, client, user } = await holding();
    const reads = Array.from({ length: users }, (_, nth) => user(`slow-${nth}`).getProjects());
    const settled = Promise.allSettled(reads);
    await eventually(() => platform.count('GET projects') === 96);

    const other = user('other');
    await client.openSession().login();
    await expect(other.getUserInfo()).resolves.toEqual({ id: 'me' });
    await other.getSessionInfo();
    await other.extendSession();
    await other.logout();

    expect(platform.count('GET projects')).toBe(96);
    await client.close();
    await settled;
  });

  it('are shared: one session makes eight calls at once, and others go on, logouts of its own too', async () => {
    const { platform, user, release } = await holding();
    const hog = user('hog');
    const reads = Array.from({ length: 30 }, () => hog.getProjects());
    await eventually(() => platform.count('GET projects') === 8);
    const copy = user('hog').getProjects();
    const others = Array.from({ length: 20 }, (_, nth) => user(`other-${nth}`).getProjects());
    await eventually(() => platform.count('GET projects') === 28);

    await hog.logout();

    expect(platform.count('GET projects')).toBe(28);
    release();
    await Promise.all([...reads, ...others, copy].map((read) => read.catch(() => undefined)));
  });

  it('that do not become free in time are reported, and say nothing about the platform', async () => {
    const changes: CircuitChange[] = [];
    const { platform, user, release } = await holding({
      circuitBreaker: true,
      onCircuitChange: (change) => changes.push(change),
    });
    // 96 wait for their answer, which has a longer deadline than the test; the others for a socket.
    const reads = Array.from({ length: 96 }, (_, nth) => user(`slow-${nth}`).getProjects());
    await eventually(() => platform.count('GET projects') === 96);
    holdTimers('setTimeout');
    const late = Array.from({ length: 200 }, (_, nth) =>
      user(`late-${nth}`)
        .getProjects()
        .catch((error: unknown) => error),
    );
    await eventually(() => Promise.resolve(true));
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();

    for (const error of await Promise.all(late)) {
      expect(error).toBeInstanceOf(QueueTimeoutError);
      expect(error).toHaveProperty('message', expect.stringContaining('60000 ms (queueTimeoutMs)'));
    }
    expect(changes).toEqual([]);
    release();
    await expect(Promise.all(reads)).resolves.toHaveLength(96);
  });
});
