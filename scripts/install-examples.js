/**
 * Installs the gateways of the federation example, each in its own folder, if they are missing or not at the locked
 * versions. They are five times the size of the service, so `npm ci` does not install them.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

for (const name of ['hive-gateway', 'apollo-server']) {
  const folder = new URL(`../examples/federation/${name}/`, import.meta.url);
  const lock = readFileSync(new URL('package-lock.json', folder), 'utf8');
  const installed = new URL('node_modules/.installed-lock.json', folder);
  if (read(installed) === lock) continue;
  console.log(`Installing the example gateway in examples/federation/${name}`);
  execFileSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  });
  writeFileSync(installed, lock);
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
