import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { productionSettings } from '../support/app/production.js';
import { runService, stopServices } from '../support/app/run-service.js';
import { startPlatform } from '../../packages/portico/test/support/embedded-platform/start-platform.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { tempFolder } from '../support/temp-folder.js';

const LAST_LINE = 'Press Ctrl-C to stop.';

describe('what the service says when it has started', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await folder.remove();
  });

  const screenWith = async (settings: Record<string, string>): Promise<string> => {
    const service = await runService(folder.path, settings);
    await eventually(() => service.output().includes(LAST_LINE));
    return service.output();
  };
  const documents = async (text: string): Promise<Record<string, string>> => {
    await mkdir(`${folder.path}/documents`);
    await writeFile(`${folder.path}/documents/one.graphql`, text);
    return { PERSISTED_DOCUMENTS: 'documents' };
  };

  it('shows its warnings before the screen, and the metrics on it', async () => {
    const output = await screenWith({ METRICS_PORT: '0', PLATFROM_BASE_URL: 'https://analytics.example' });
    const warning = output.indexOf('PLATFROM_BASE_URL is not a setting');
    expect(warning).toBeGreaterThanOrEqual(0);
    expect(warning).toBeLessThan(output.indexOf('Portico is ready.'));
    expect(output.slice(output.indexOf(LAST_LINE))).not.toContain('"level":40');
    const metrics = /^ {2}Metrics {4}(\S+)$/m.exec(output)?.[1] ?? '';
    expect((await fetch(metrics)).status).toBe(200);
  });

  it('shows a first query that the allow list has', async () => {
    const output = await screenWith(await documents('query One { hasSession }'));
    const command = /^curl .*$/m.exec(output)?.[0] ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toEqual({ data: { hasSession: false } });
  });

  it('shows no first query where the allow list has none that runs without a session', async () => {
    const output = await screenWith(await documents('query One($id: ID!) { project(id: $id) { name } }'));
    expect(output).toContain('Only the documents of PERSISTED_DOCUMENTS run.');
    expect(output).not.toContain('curl');
  });

  it('names version, store and platform in one line of the log in production', async () => {
    const platform = await startPlatform();
    const service = await runService(folder.path, productionSettings(platform.baseUrl));
    const line = `Portico 0.2.0 runs with sessions in the embedded store and the platform at ${platform.baseUrl}`;
    await eventually(() => service.output().includes(`"msg":"${line}"`));
    expect(service.output()).not.toContain(LAST_LINE);
    await platform.close();
  });
});
