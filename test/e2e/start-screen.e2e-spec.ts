import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { screenOf } from '../../src/app/serve.js';
import { Settings } from '../../src/config/settings.js';
import { runService, stopServices } from '../support/app/run-service.js';
import { startApp, type TestApp } from '../support/app/start-app.js';
import { startPlatform } from '../../packages/portico/test/support/embedded-platform/start-platform.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { tempFolder } from '../support/temp-folder.js';

const LAST_LINE = 'Press Ctrl-C to stop.';

describe('what the service says when it has started', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let running: TestApp | undefined;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await running?.close();
    running = undefined;
    await folder.remove();
  });

  const screenWith = async (settings: Record<string, string>): Promise<string> => {
    running = await startApp(settings);
    return screenOf(running.app, running.app.get(Settings));
  };
  const documents = async (text: string): Promise<Record<string, string>> => {
    await mkdir(`${folder.path}/documents`);
    await writeFile(`${folder.path}/documents/one.graphql`, text);
    return { PERSISTED_DOCUMENTS: `${folder.path}/documents` };
  };

  it('shows its warnings before the screen, and the metrics on it', async () => {
    const settings = { METRICS_PORT: '0', PLATFROM_BASE_URL: 'https://analytics.example' };
    const service = await runService(folder.path, settings);
    await eventually(() => service.output().includes(LAST_LINE));
    const output = service.output();
    const warning = output.indexOf('PLATFROM_BASE_URL is not a setting');
    expect(warning).toBeGreaterThanOrEqual(0);
    expect(warning).toBeLessThan(output.indexOf('Portico is ready.'));
    expect(output.slice(output.indexOf(LAST_LINE))).not.toContain('"level":40');
    const metrics = /^ {2}Metrics {4}(\S+)$/m.exec(output)?.[1] ?? '';
    expect((await fetch(metrics)).status).toBe(200);
  });

  it('shows a first query that the allow list has', async () => {
    const screen = await screenWith(await documents('query One { hasSession }'));
    const command = /^curl .*$/m.exec(screen)?.[0] ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toEqual({ data: { hasSession: false } });
  });

  it('shows no first query where the allow list has none that runs without a session', async () => {
    const screen = await screenWith(await documents('query One($id: ID!) { project(id: $id) { name } }'));
    expect(screen).toContain('Only the documents of PERSISTED_DOCUMENTS run.');
    expect(screen).not.toContain('curl');
  });

  it('shows which platform it uses when it runs one and uses another', async () => {
    const platform = await startPlatform();
    const screen = await screenWith({ PLATFORM_BASE_URL: platform.baseUrl, EMBEDDED_PLATFORM: 'on' });
    expect(screen).toContain('The service uses PLATFORM_BASE_URL, not this platform.');
    expect(/^curl .*$/m.exec(screen)?.[0]).toContain('{ hasSession }');
    await platform.close();
  });

  it('says that it is not ready when its session store does not answer', async () => {
    const screen = await screenWith({ SESSION_STORE: 'redis', REDIS_URL: 'redis://127.0.0.1:9' });
    expect(screen).toContain('Portico is running, but not ready');
    expect(screen).not.toContain('Portico is ready');
  });
});
