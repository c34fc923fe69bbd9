import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PEERS = new URL('../peers/', import.meta.url).pathname;
const run = promisify(execFile);

/** Installs a peer in its folder, where it is not there yet or not of the locked versions. */
export async function installPeer(peer: string): Promise<void> {
  const lock = await readFile(join(PEERS, peer, 'package-lock.json'), 'utf8');
  const installed = join(PEERS, peer, 'node_modules/.installed-lock.json');
  if ((await readFile(installed, 'utf8').catch(() => undefined)) === lock) return;
  console.error(`Installing bench/peers/${peer}`);
  await runInPeer(peer, 'npm', ['ci', '--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund']);
  await writeFile(installed, lock);
}

/** Runs a command in a peer's folder, and throws with the end of what it complained about. */
export async function runInPeer(
  peer: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  try {
    await run(command, args, { cwd: join(PEERS, peer), env: { ...process.env, ...env } });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`${command.split('/').at(-1) ?? ''}: ${(stderr || message).trim().slice(-300)}`, {
      cause: error,
    });
  }
}
