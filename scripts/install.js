/**
 * Installs folders that have a package.json and a lock file of their own, where they are not installed yet or not at the
 * locked versions: gateways, the packages of the examples, and other large packages that few commands use.
 *
 *   node scripts/install.js examples/page examples/federation/hive-gateway
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LOCK = 'package-lock.json';

for (const name of process.argv.slice(2)) {
  const folder = resolve(root, name);
  if (isInstalled(folder)) continue;
  console.log(`Installing ${name}`);
  install(folder);
}

function isInstalled(folder) {
  const installed = join(folder, 'node_modules', LOCK);
  return existsSync(installed) && readFileSync(installed).equals(readFileSync(join(folder, LOCK)));
}

/** Two tests may install a folder at the same time: each does so beside it, and the first to finish moves its result in. */
function install(folder) {
  const beside = mkdtempSync(join(folder, '.install-'));
  try {
    for (const file of ['package.json', LOCK, '.npmrc']) {
      if (existsSync(join(folder, file))) copyFileSync(join(folder, file), join(beside, file));
    }
    execFileSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], {
      cwd: beside,
      stdio: 'inherit',
    });
    copyFileSync(join(beside, LOCK), join(beside, 'node_modules', LOCK));
    if (isInstalled(folder)) return;
    const modules = join(folder, 'node_modules');
    if (existsSync(modules)) renameSync(modules, join(beside, 'outdated'));
    renameSync(join(beside, 'node_modules'), modules);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}
