import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rollInstances } from '../support/app/rolling-restarts.js';
import { runService, stopServices } from '../support/app/run-service.js';
import { tempFolder } from '../support/temp-folder.js';

describe('two instances behind a balancer', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await folder.remove();
  });

  it('lose no request by 10 rolling restarts at 100 requests a second', async () => {
    const { requests, lost, exits } = await rollInstances(10, (instance) =>
      runService(folder.path, {
        SHUTDOWN_DELAY_SECONDS: '2',
        SESSION_STORE_PATH: `${instance}.db`,
        LOG_LEVEL: 'warn',
      }),
    );
    process.stdout.write(
      `rolling: ${lost.length} of ${requests} requests lost by ${exits.length} restarts\n`,
    );
    expect(lost).toEqual([]);
    expect(exits).toEqual(Array(10).fill({ code: 0, signal: null }));
  }, 600_000);
});
