import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type RunningService,
  runService,
  SERVICE_COMMAND,
  stopServices,
} from '../../support/app/run-service.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { tempFolder } from '../../support/temp-folder.js';

const LOGIN = 'mutation { login { expiresAt } }';
const LOGINS = 50;
/** More than fits between the service and its reader. */
const QUERIES = 1500;

describe('the output of the service', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await folder.remove();
  });

  async function whileNobodyReads(): Promise<RunningService> {
    const service = await runService(folder.path);
    service.process.stdout?.pause();
    for (let n = 0; n < LOGINS; n += 1) {
      const some = Array.from({ length: QUERIES / LOGINS }, () => service.graphql('{ __typename }'));
      const [login] = await Promise.all([service.graphql(LOGIN), ...some]);
      expect(login.errors).toBeUndefined();
    }
    return service;
  }

  it('is complete, every line whole, however slow its reader is', async () => {
    const service = await whileNobodyReads();
    const ended = service.stop();
    service.process.stdout?.resume();
    expect(await ended).toEqual({ code: 0, signal: null });
    await eventually(() => service.process.stdout?.readableEnded === true);

    const lines = service.output().split('\n');
    const records = lines.filter((line) => line.includes('"time":')).map((line): unknown => JSON.parse(line));
    expect(records.filter((record) => (record as { audit?: number }).audit === 1)).toHaveLength(LOGINS);
    expect(records.length).toBeGreaterThanOrEqual(QUERIES + 2 * LOGINS);
  });

  it('keeps neither a request nor the end waiting if its reader is stuck', async () => {
    const service = await whileNobodyReads();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('may be a full disk, which is said once on standard error', async () => {
    const full = await open('/dev/full', 'w');
    const [node = '', ...options] = SERVICE_COMMAND;
    const service = spawn(node, options, {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', PORT: '0' },
      stdio: ['ignore', full.fd, 'pipe'],
    });
    let said = '';
    service.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await eventually(() => said !== '');
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
    await full.close();
    expect(said).toBe('Standard output cannot be written (ENOSPC): up to 8 MB of it waits until it can\n');
  });
});
