/**
 * Builds the library and the service, by the configuration of `nest build`, and the console. The compiler looks first at
 * what has changed; Nest's own command compiles everything each time, which takes 15 seconds. Where only the built files
 * were copied, as in a container, there is nothing to build.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = 'node_modules/typescript/bin/tsc';
const has = (path) => existsSync(join(root, path));
const run = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });

if (has('src') && has(tsc)) {
  run(tsc, '-b', 'tsconfig.build.json');
  run('scripts/console-assets.js');
} else if (!has('dist/main.js')) {
  console.error('There is nothing to run yet: npm ci installs the compiler, npm run build builds.');
  process.exitCode = 1;
}
