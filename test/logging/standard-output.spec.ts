import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runNode } from '../../packages/portico/test/support/app/run-node.js';

const MODULE = fileURLToPath(new URL('../../dist/logging/standard-output.js', import.meta.url));

it('whatever was written when a process exits arrives, in order and once', async () => {
  const script = `
    const { standardOutput } = await import(${JSON.stringify(MODULE)});
    const output = standardOutput();
    for (let n = 0; n < 3; n += 1) output.write('log ' + n + '\\n');
    process.exit(0);
  `;
  for (let run = 0; run < 5; run += 1) {
    const { stdout } = await runNode(['--input-type=module', '-e', script]);
    expect(stdout).toBe('log 0\nlog 1\nlog 2\n');
  }
});
