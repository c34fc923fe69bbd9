/**
 * Builds the library, the service by Nest's own command, and the console. An installation without development
 * dependencies has no Nest CLI: there the compiler builds by the same configuration. Where only the built files were
 * copied, as in a container, there is nothing to build.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const nest = 'node_modules/@nestjs/cli/bin/nest.js';
const tsc = 'node_modules/typescript/bin/tsc';
const has = (path) => existsSync(join(root, path));
const run = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });

if (has('src') && has(tsc)) {
  run(tsc, '-b', 'packages/portico');
  if (has(nest)) run(nest, 'build');
  else run(tsc, '-p', 'tsconfig.build.json');
  run('scripts/console-assets.js');
} else if (!has('dist/main.js')) {
  console.error('There is nothing to run yet: npm ci installs the compiler, npm run build builds.');
  process.exitCode = 1;
}
