/**
 * Compiles src to dist, lays the console's page and libraries beside its code, and bundles the service. Only what has changed is compiled, so
 * what a source that is gone has left behind is removed first.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const [source, target] = [join(root, 'src'), join(root, 'dist')];
const bundled = join(target, 'bundle');

removeLeftovers();
// Types are checked by npm run check: that needs the SDKs of the secret stores, which a build does without.
const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p', root, '--noCheck'];
execFileSync(process.execPath, tsc, { stdio: 'inherit' });
copyConsole();
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

/** The libraries come from here and from no other host. */
function copyConsole() {
  const page = join(target, 'console/page');
  rmSync(page, { recursive: true, force: true });
  mkdirSync(page, { recursive: true });
  const written = readdirSync(join(source, 'console/page')).map((name) => join(source, 'console/page', name));
  const libraries = [
    'graphiql/graphiql.min.js',
    'graphiql/graphiql.min.css',
    'react/umd/react.production.min.js',
    'react-dom/umd/react-dom.production.min.js',
  ].map((path) => join(root, 'node_modules', path));
  for (const file of [...written, ...libraries]) copyFileSync(file, join(page, basename(file)));
}
