import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { startEmbeddedPlatform } from '../../src/embedded-platform/index.js';
import { startPlatform } from '../support/embedded-platform/start-platform.js';
import { expectRefusal } from './expect-refusal.js';
import { statusOf, Wire } from './wire.js';

const portOf = (baseUrl: string): number => Number(new URL(baseUrl).port);

async function connectError(port: number, host: string): Promise<string> {
  const socket = connect(port, host);
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  return error.code ?? '';
}

describe('starting and stopping the embedded platform', () => {
  it('works with no options at all', async () => {
    const { baseUrl, close } = await startEmbeddedPlatform();
    const wire = new Wire(baseUrl);
    const status = await wire
      .loginAs('demo')
      .then((session) => wire.call('GET sessions', { session }))
      .then((response) => response.json())
      .finally(close);

    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/api$/);
    expect(status).toMatchObject({ timeout: 1800, fullName: 'Dana Demo' });
  });

  it('listens on 127.0.0.1 and on no other address of the machine', async () => {
    await using platform = await startPlatform();
    const port = portOf(platform.baseUrl);

    expect(await statusOf(fetch(`http://127.0.0.1:${port}/api/status`))).toBe(200);
    expect(await connectError(port, '127.0.0.2')).toMatch(/^(ECONNREFUSED|EADDRNOTAVAIL)$/);
    expect(await connectError(port, '::1')).toMatch(/^(ECONNREFUSED|EADDRNOTAVAIL|EAFNOSUPPORT)$/);
  });

  it('listens on the given port', async () => {
    await using first = await startPlatform();
    await first.close();

    await using second = await startPlatform({ port: portOf(first.baseUrl) });

    expect(second.baseUrl).toBe(first.baseUrl);
  });

  it("rejects with Node's error when the port is in use, and leaves nothing open", async () => {
    await using occupant = createServer();
    occupant.listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    const serversBefore = await openServers();

    await expect(startEmbeddedPlatform({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });

    expect(await openServers()).toBe(serversBefore);
  });

  it.each([
    ['port', { port: 70_000 }],
    ['vendor', { vendor: 'A:B' }],
    ['vendor', { vendor: '' }],
    ['idleSecond', { port: 0, idleSecond: 5 }],
    ['path', { path: 'api' }],
    ['path', { path: '/a?b' }],
    ['path', { path: '/a b; Domain=x' }],
    ['idleSeconds', { idleSeconds: 0 }],
    ['idleSeconds', { idleSeconds: Number.NaN }],
    ['maxSessions', { maxSessions: 1.5 }],
  ])('rejects an impossible %s by its name: %j', async (name, options) => {
    await expect(startEmbeddedPlatform(options)).rejects.toThrow(name);
  });

  it('closes at once, keep-alive connections included, and may be closed again', async () => {
    await using platform = await startPlatform();
    const agent = new Agent({ keepAlive: true });
    const [response] = (await once(get(`${platform.baseUrl}/status`, { agent }), 'response')) as [
      NodeJS.ReadableStream,
    ];
    response.resume();
    await once(response, 'end');
    const silent = connect(portOf(platform.baseUrl), '127.0.0.1');
    await once(silent, 'connect');
    const silentClosed = once(silent.resume(), 'close');
    const started = performance.now();

    await Promise.all([platform.close(), platform.close()]);
    await platform.close();
    await silentClosed;

    // Waiting for an idle connection would take much longer.
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(await connectError(portOf(platform.baseUrl), '127.0.0.1')).toBe('ECONNREFUSED');
    agent.destroy();
  });

  it('closes while an answer is being held back', async () => {
    let waiting = (): void => undefined;
    const isWaiting = new Promise<void>((resolve) => (waiting = resolve));
    await using platform = await startPlatform({
      wait: () => {
        waiting();
        return new Promise<void>(() => undefined);
      },
    });
    const late = new Wire(platform.baseUrl).loginAs('slow').catch((error: unknown) => error);
    await isWaiting;

    await platform.close();

    expect(await late).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
  });

  it('leaves no timer of a late answer behind when it is closed', async () => {
    let late: unknown;
    let timersBefore: number;
    do {
      const { baseUrl, close } = await startEmbeddedPlatform();
      const wire = new Wire(baseUrl);
      timersBefore = openHandles('Timeout');
      const answer = wire.loginAs('slow').catch((error: unknown) => error);
      await wire.loginAs('demo').finally(close);
      late = await answer;
      // On a machine that stands still for two seconds the answer is there before: once more.
    } while (!(late instanceof Error));

    expect(late).toMatchObject({ message: 'fetch failed' });
    expect(openHandles('Timeout')).toBeLessThanOrEqual(timersBefore);
  });

  it('answers an internal error with ERR001, without details', async () => {
    await using platform = await startPlatform({ wait: () => Promise.reject(new Error('CANARY')) });
    const wire = new Wire(platform.baseUrl);
    const json = { username: 'slow', password: 'demo', loginMode: 1, applicationType: 8 };

    await expectRefusal(wire.call('POST auth/login', { json }), { status: 500, code: 'ERR001' });
    expect(await (await wire.call('POST auth/login', { json })).text()).not.toContain('CANARY');
  });

  it('forgets its sessions when it is closed', async () => {
    await using first = await startPlatform();
    const session = await new Wire(first.baseUrl).loginAs('demo');
    await first.close();
    await using second = await startPlatform();

    await expectRefusal(new Wire(second.baseUrl).call('GET sessions', { session }), {
      status: 401,
      code: 'ERR009',
    });
  });
});

async function openServers(): Promise<number> {
  // A closed handle counts until the next turn of the event loop.
  await setImmediate();
  await setImmediate();
  return openHandles('TCPServerWrap');
}

function openHandles(kind: string): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === kind).length;
}
