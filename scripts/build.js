/**
 * Builds the library, and the service by Nest's own command. An installation without development dependencies has no
 * Nest CLI: there the compiler builds by the same configuration.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const nest = 'node_modules/@nestjs/cli/bin/nest.js';
const tsc = 'node_modules/typescript/bin/tsc';
const run = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });

run(tsc, '-b', 'packages/portico');
if (existsSync(new URL(`../${nest}`, import.meta.url))) run(nest, 'build');
else run(tsc, '-p', 'tsconfig.build.json');
run('scripts/console-assets.js');
