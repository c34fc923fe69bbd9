import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReadinessService } from '../../src/app/readiness.service.js';
import { SessionStore } from '../../src/session/store/session-store.js';
import { startApp, type TestApp } from '../support/app/start-app.js';

describe('a balancer that asks', () => {
  let service: TestApp;
  beforeEach(async () => (service = await startApp()));
  afterEach(() => service.close());

  const ask = async (path: string): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${service.url}/${path}`);
    return { status: response.status, body: await response.json() };
  };

  it('hears that the service is alive and ready', async () => {
    expect(await ask('livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await ask('readyz')).toMatchObject({
      status: 200,
      body: { status: 'ok', details: { accepting: { status: 'up' }, sessionStore: { status: 'up' } } },
    });
  });

  it('makes the service ask its store once a second, however often it asks', async () => {
    const readiness = service.app.get(ReadinessService);
    const ping = vi.spyOn(service.app.get<SessionStore>(SessionStore), 'ping');
    let now = 5_000;
    readiness.now = () => now;
    await Promise.all(Array.from({ length: 20 }, () => ask('readyz')));
    now += 999;
    expect(await ask('readyz')).toMatchObject({ status: 200 });
    expect(ping).toHaveBeenCalledTimes(1);
    now += 1;
    ping.mockRejectedValueOnce(new Error('full'));
    const degraded = { status: 200, body: { details: { sessionStore: { status: 'up', degraded: true } } } };
    expect(await ask('readyz')).toMatchObject(degraded);
    expect(await ask('readyz')).toMatchObject(degraded);
    expect(ping).toHaveBeenCalledTimes(2);
    now += 1_000;
    expect((await ask('readyz')).body).toMatchObject({ details: { sessionStore: { status: 'up' } } });
    ping.mockRestore();
  });

  it('hears that it is alive but not ready while sessions cannot be read', async () => {
    await service.app.get<SessionStore>(SessionStore).close();
    expect(await ask('livez')).toMatchObject({ status: 200 });
    expect(await ask('readyz')).toMatchObject({
      status: 503,
      body: { details: { accepting: { status: 'up' }, sessionStore: { status: 'down' } } },
    });
  });

  it('keeps other requests away from a store that is down, and logs no one out', async () => {
    await service.app.get<SessionStore>(SessionStore).close();
    const answer = await service.graphql('{ me { id } }', {
      headers: { cookie: `__Host-portico=${'A'.repeat(43)}` },
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(answer.errors?.[0]?.extensions).toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
      retryable: true,
      requestId: answer.headers.get('x-request-id'),
    });
  });
});
