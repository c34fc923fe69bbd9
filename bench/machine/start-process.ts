import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { coresOf, pinningMissing } from './cores.ts';

export interface ProcessStart {
  readonly core: number;
  /** By default the Node that runs the bench. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Opens a channel for messages. */
  readonly ipc?: boolean;
}

export interface RunningProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** When it was started, by `performance.now()`. */
  readonly began: number;
  /** The end of what it wrote to stderr. */
  complaint(): string;
  /** Asks it to end, and ends it by force when it does not within `milliseconds`. */
  stop(milliseconds?: number): Promise<void>;
}

const COMPLAINT_LENGTH = 1500;
const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Starts a process on one core, with no more of this environment than it needs to run. */
export function startProcess(start: ProcessStart): RunningProcess {
  const command = [start.command ?? process.execPath, ...start.args];
  const [file = '', ...args] =
    pinningMissing === undefined ? ['taskset', '-c', coresOf(start.core), ...command] : command;
  const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env;
  const began = performance.now();
  const child = spawn(file, args, {
    cwd: start.cwd,
    env: { PATH, HOME, TMPDIR, ...start.env },
    stdio: ['ignore', 'ignore', 'pipe', ...(start.ipc === true ? (['ipc'] as const) : [])],
  });
  living.add(child);
  child.once('exit', () => living.delete(child));
  let complaint = '';
  child.once('error', ({ message }) => (complaint = message));
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-COMPLAINT_LENGTH);
  });
  return {
    child,
    pid: child.pid ?? 0,
    began,
    complaint: () => complaint.trim(),
    stop: (milliseconds = 5000) => stop(child, milliseconds),
  };
}

async function stop(child: ChildProcess, milliseconds: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), milliseconds);
  await gone;
  clearTimeout(force);
}
