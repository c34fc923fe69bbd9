/** Runs the service, and again at each change of its sources, until it is told to stop. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = (...args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });

// The bundle does not change with each source; without it the service starts from its compiled files.
rmSync(join(root, 'dist/bundle'), { recursive: true, force: true });

const running = [
  node('node_modules/typescript/bin/tsc', '--watch', '--preserveWatchOutput', '--noCheck'),
  node('--watch', '--watch-preserve-output', 'dist/main.js'),
];
for (const child of running) child.once('exit', stop);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);

function stop() {
  for (const child of running) child.kill();
}
