import { once } from 'node:events';
import { SERVER_CORE } from '../machine/cores.ts';
import { startProcess } from '../machine/start-process.ts';
import { type Sample } from './sample.ts';

interface Message {
  readonly system: string;
  readonly round: number;
  readonly rate: number;
  readonly cpu: number;
}

/** The client alone, and the bare libraries, in a process on the server core. */
export async function measureClient(origin: string, rounds: number, calls: number): Promise<Sample[]> {
  const program = new URL('../client/process.ts', import.meta.url).pathname;
  const running = startProcess({
    core: SERVER_CORE,
    args: [program, `${origin}/api`, `${rounds}`, `${calls}`],
    ipc: true,
  });
  const samples: Sample[] = [];
  running.child.on('message', (message) => {
    const { system, round, rate, cpu } = message as Message;
    samples.push({ figure: 'client', system, round, value: rate, cpu });
  });
  await once(running.child, 'exit');
  if (running.child.exitCode !== 0) throw new Error(`The client alone failed. ${running.complaint()}`);
  return samples;
}
