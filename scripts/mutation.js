/**
 * Changes the sources of one room, a line at a time, and says which changes no spec of the room notices. What was
 * tried before and has not changed since is not tried again. Further arguments are options of Stryker.
 *
 *   npm run mutation -- auth
 *   npm run mutation -- auth --mutate src/auth/attempt-queue.ts
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [room, ...options] = process.argv.slice(2);
if (
  room === undefined ||
  !['src', 'packages/portico/src'].some((folder) => existsSync(`${root}/${folder}/${room}`))
) {
  console.error('npm run mutation -- <room> [options of Stryker], a folder of src or packages/portico/src');
  process.exit(2);
}
const run = (...args) =>
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ROOM: room } });
run('scripts/install.js', 'tools/mutation');
run(
  'tools/mutation/node_modules/@stryker-mutator/core/bin/stryker.js',
  'run',
  'tools/mutation/stryker.config.js',
  ...options,
);
