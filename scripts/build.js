/**
 * Compiles src to dist, lays the console's page and libraries beside its code, and bundles the service. Only what has changed is compiled, so
 * what a source that is gone has left behind is removed first.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';
import { layConsole } from './console-assets.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const [source, target] = [join(root, 'src'), join(root, 'dist')];
const bundled = join(target, 'bundle');

removeLeftovers();
// Types are checked by npm run check: that needs the SDKs of the secret stores, which a build does without.
const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p', root, '--noCheck'];
execFileSync(process.execPath, tsc, { stdio: 'inherit' });
layConsole({
  source: join(source, 'console/page'),
  modules: join(root, 'node_modules'),
  target: join(target, 'console/page'),
});
await bundle(root);

function removeLeftovers() {
  if (!existsSync(target)) return;
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(bundled)) continue;
    const written = path.replace(target, source).replace(/(\.d\.ts|\.js|\.js\.map)$/, '.ts');
    if (entry.isFile() && written.endsWith('.ts') && !existsSync(written)) rmSync(path);
  }
}
