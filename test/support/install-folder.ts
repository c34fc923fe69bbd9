import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const INSTALL = fileURLToPath(new URL('../../scripts/install.js', import.meta.url));

/** Installs the packages of a folder that has its own, such as an example; does nothing where they are there. */
export function installFolder(name: string): void {
  execFileSync(process.execPath, [INSTALL, name], { stdio: ['ignore', 'ignore', 'inherit'] });
}
