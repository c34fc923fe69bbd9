/**
 * Runs every end-to-end test with the services at trace level, and searches everything that was logged, printed, answered
 * and measured for each secret the tests used (handles, platform tokens, planted passwords, keys and identity tokens):
 * plain, in base64, in hex and URL-encoded.
 */
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanaries } from '../packages/portico/test/support/secrets/canaries.ts';

const folder = await mkdtemp(join(tmpdir(), 'portico-canaries-'));
const tests = spawn(
  'npm',
  [
    'test',
    '--',
    '--maxWorkers=1',
    ...(process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['test/e2e']),
  ],
  {
    env: { ...process.env, SECRET_LEDGER: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  },
);
const printed = [];
tests.stdout.on('data', (chunk) => printed.push(chunk));
tests.stderr.on('data', (chunk) => printed.push(chunk));
const [code] = await once(tests, 'close');

const lines = Buffer.concat(printed).toString();
const output = lines + (await readFile(join(folder, 'output'), 'utf8'));
const secrets = new Set((await readFile(join(folder, 'secrets'), 'utf8')).trim().split('\n'));
const canaries = createCanaries();
for (const secret of secrets) canaries.watch('secret', secret);
const found = canaries.findIn(output);
await rm(folder, { recursive: true });

console.log(
  lines
    .split('\n')
    .filter((line) => /^(\d+ passed|FAIL|Skipped| {2}.*skipped)/.test(line))
    .join('\n'),
);
console.log(
  `${secrets.size} secrets, ${(output.length / 1e6).toFixed(1)} MB of output, ${found.length} found`,
);
if (code !== 0 || found.length > 0) process.exitCode = 1;
