import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const INSTALL = fileURLToPath(new URL('../../scripts/install.js', import.meta.url));

/** Installs the packages of a folder that has its own, such as an example. Does nothing if they are there. */
export async function installFolder(name: string): Promise<void> {
  await promisify(execFile)(process.execPath, [INSTALL, name]);
}
