import { spawn } from 'node:child_process';

/** What a process of its own printed, and how it ended. */
export interface NodeRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs node, or another one, on a file or a text of its own, and waits for its end. */
export function runNode(
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>>; node?: string | undefined } = {},
): Promise<NodeRun> {
  const env = { ...process.env, NODE_OPTIONS: '', ...options.env };
  const child = spawn(options.node ?? process.execPath, args, {
    cwd: options.cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}
