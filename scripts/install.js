/**
 * Installs folders that have a package.json and a lock of their own, where they are not there yet or not of the locked
 * versions: what only the tests, the checks, the composers and the examples use, so that those who only run the service
 * are spared it. The dependencies of what is below tools/ are linked into node_modules, where imports, editors and npx
 * find them; an optional dependency is not.
 *
 *   node scripts/install.js tools/test examples/federation/hive-gateway
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');

for (const name of process.argv.slice(2)) {
  const folder = resolve(root, name);
  installLocked(name, folder);
  if (name.startsWith('tools/')) linkInto(modules, folder);
}

/** Installs what the lock says, unless that is what was installed last. */
function installLocked(name, folder) {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const installed = join(folder, 'node_modules/.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  console.log(`Installing ${name}`);
  execFileSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  });
  writeFileSync(installed, lock);
}

/** Links the packages that a folder names, and their commands. */
function linkInto(target, folder) {
  const source = join(folder, 'node_modules');
  const { dependencies = {} } = json(join(folder, 'package.json'));
  for (const name of Object.keys(dependencies)) {
    link(join(source, name), join(target, name));
    const { bin = {} } = json(join(source, name, 'package.json'));
    const commands = typeof bin === 'string' ? [name.split('/').at(-1)] : Object.keys(bin);
    for (const command of commands) link(join(source, '.bin', command), join(target, '.bin', command));
  }
}

function link(from, to) {
  if (existsSync(to) && realpathSync(to) === realpathSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  rmSync(to, { recursive: true, force: true });
  symlinkSync(relative(dirname(to), from), to);
}

function json(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
