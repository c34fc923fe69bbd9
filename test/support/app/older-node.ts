import { execFileSync } from 'node:child_process';

/** Where an older Node may be: the one that npm itself runs on, and those of the system. */
const PLACES = [process.env.npm_node_execpath, '/usr/bin/node', '/usr/local/bin/node'];

/** A Node on this machine that is too old for the client, as npm brings none; undefined where there is none. */
export const olderNode: { readonly path: string; readonly version: string } | undefined = PLACES.flatMap(
  (path) => {
    const version = path && versionOf(path);
    return path && version && isTooOld(version) ? [{ path, version }] : [];
  },
)[0];

function versionOf(path: string): string | undefined {
  try {
    return execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim().slice(1);
  } catch {
    return undefined;
  }
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < 22 || (major === 22 && minor < 19);
}
