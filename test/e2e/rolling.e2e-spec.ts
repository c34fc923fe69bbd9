import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rollInstances } from '../support/app/rolling-restarts.js';
import { runService, stopServices } from '../support/app/run-service.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { tempFolder } from '../support/temp-folder.js';

describe('a service that is told to stop', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await folder.remove();
  });

  const status = async (url: string): Promise<number> => (await fetch(url)).status;

  it('reports on new connections that it is not ready, keeps answering, and exits at once on a second signal', async () => {
    const service = await runService(folder.path, { SHUTDOWN_DELAY_SECONDS: '300' });
    expect(await status(`${service.url}/readyz`)).toBe(200);
    const before = await service.graphql('{ hasSession }');
    expect(before.headers.get('connection')).not.toBe('close');

    service.process.kill('SIGTERM');
    await eventually(async () => (await status(`${service.url}/readyz`)) === 503);
    expect(await status(`${service.url}/livez`)).toBe(200);
    const after = await service.graphql('{ hasSession }');
    expect(after.data).toEqual({ hasSession: false });
    expect(after.headers.get('connection')).toBe('close');

    const ended = service.stop();
    while (service.process.exitCode === null && service.process.signalCode === null) {
      await pause(50);
      service.process.kill('SIGTERM');
    }
    expect(await ended).toEqual({ code: 143, signal: null });
  });

  it('keeps serving, and says so, when nobody reads its output any more', async () => {
    const service = await runService(folder.path);
    service.process.stdout?.destroy();
    const login = 'mutation { login(input: {username: "nobody", password: "x"}) { expiresAt } }';
    for (let n = 0; n < 3; n += 1) expect((await service.graphql(login)).errors).toHaveLength(1);
    await eventually(() => service.output().includes('Standard output cannot be written (EPIPE)'));
    expect(await status(`${service.url}/readyz`)).toBe(200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('is one of two behind a balancer, and no request is lost while one is restarted', async () => {
    const { requests, lost, exits } = await rollInstances(1, (instance) =>
      runService(folder.path, {
        // A balancer on a busy machine is slow to notice that it is not ready.
        SHUTDOWN_DELAY_SECONDS: '5',
        SESSION_STORE_PATH: `${instance}.db`,
        LOG_LEVEL: 'warn',
      }),
    );
    expect(lost).toEqual([]);
    expect(requests).toBeGreaterThan(20);
    expect(exits).toEqual([{ code: 0, signal: null }]);
  }, 600_000);
});
