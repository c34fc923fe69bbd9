import { vi } from 'vitest';
import { runCommand } from '../../../src/app/cli.js';

/** What a command wrote, and the exit code that it set. */
export interface CommandRun {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `portico` with these arguments in this process, as in a folder and an environment of its own: a process takes a
 * second of the processor to load what the command needs. How one prints and ends is shown by tests that start it.
 */
export async function runCommandHere(
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const { env, exitCode } = process;
  const folder = process.cwd();
  const listeners = process.listeners('SIGUSR1');
  const written = { stdout: '', stderr: '' };
  const streams = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  process.env = { PATH: env.PATH, ...environment };
  process.chdir(cwd);
  try {
    await runCommand(args);
    return { code: process.exitCode, ...written };
  } finally {
    process.chdir(folder);
    process.env = env;
    process.exitCode = exitCode;
    for (const stream of streams) stream.mockRestore();
    for (const listener of process.listeners('SIGUSR1'))
      if (!listeners.includes(listener)) process.off('SIGUSR1', listener);
  }
}
