import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { runService, stopServices } from '../../support/app/run-service.js';
import { installFolder } from '../../support/install-folder.js';
import { tempFolder } from '../../support/temp-folder.js';

const EXAMPLE = fileURLToPath(new URL('../../../examples/federation/run.ts', import.meta.url));
const RUNNING_MS = 120_000;

await installFolder('examples/federation/hive-gateway');

describe('the example of a graph', () => {
  let child: ChildProcess | undefined;
  afterEach(() => {
    child?.kill('SIGTERM');
  });

  it(
    'asks across both subgraphs in both directions, and ends with 0',
    async () => {
      const running = spawn(process.execPath, [EXAMPLE], { stdio: ['ignore', 'pipe', 'inherit'] });
      child = running;
      let output = '';
      running.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      expect(await once(running, 'exit')).toEqual([0, null]);
      const answers = output.split('\n').join(' ').replaceAll(/\s+/g, ' ');
      expect(answers).toContain(
        '"topRated": [ { "rating": 5, "name": "Supply Chain", "owner": { "name": "Tomáš Novák" } }',
      );
      expect(answers).toContain('"projects": [ { "name": "Retail Sales", "rating": 3 }');
      expect(answers).toContain('"logout": { "loggedOut": true }');
    },
    RUNNING_MS,
  );
});

describe('the start screen with a prefix of the root fields', () => {
  afterEach(stopServices);

  it('shows a curl that works when it is pasted', async () => {
    const folder = await tempFolder();
    const service = await runService(folder.path, { FIELD_PREFIX: 'analytics' });
    const command = /^curl .*$/m.exec(service.output())?.[0] ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({ data: { analyticsLogin: { handle: expect.any(String) } } });
    await service.stop();
    await folder.remove();
  });
});
