import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runNode } from '../../packages/portico/test/support/app/run-node.js';
import { installFolder } from '../support/install-folder.js';

const FOLDER = join(process.cwd(), 'examples/libraries');
await installFolder('examples/libraries');

const JEST = join(FOLDER, 'node_modules/jest/bin/jest.js');
const CONFIG = '{"testMatch":["**/*.jest.test.js"],"transform":{}}';

describe('the tests of a program that uses the client', () => {
  it.each<[string, readonly string[], RegExp]>([
    [
      'Jest',
      ['--experimental-vm-modules', JEST, '--rootDir', FOLDER, '--config', CONFIG],
      /Tests: +3 passed, 3 total/,
    ],
    [
      'Vitest',
      ['node_modules/vitest/vitest.mjs', 'run', '--no-color', 'reports.vitest'],
      /Tests +3 passed \(3\)/,
    ],
    ['node:test', ['--test', '--test-reporter=tap', 'reports.node.test.js'], /# pass 3\n# fail 0/],
  ])('pass with %s', async (_runner, args, passed) => {
    const { stdout, stderr, code } = await runNode(args, {
      cwd: FOLDER,
      env: { FORCE_COLOR: '0' },
    });

    expect(`${stdout}${stderr}`).toMatch(passed);
    expect(code).toBe(0);
  });

  it.each(['reports.js', 'reports.node.test.js', 'reports.jest.test.js', 'reports.vitest.test.js'])(
    'are those of docs/testing.md: %s',
    (file) => {
      const page = readFileSync('docs/testing.md', 'utf8');
      const source = readFileSync(join(FOLDER, file), 'utf8');
      const shown =
        file === 'reports.js' || file === 'reports.node.test.js' ? source : (source.split('\n', 1)[0] ?? '');

      expect(page).toContain(shown.trim());
    },
  );
});
