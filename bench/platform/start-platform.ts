import { once } from 'node:events';
import { LOAD_CORE } from '../machine/cores.ts';
import { startProcess } from '../machine/start-process.ts';

/** The platform that all systems of a run call. */
export interface BenchPlatform {
  readonly port: number;
  /** The origin, without the context path `/api`. */
  readonly origin: string;
  /** Lets every answer wait for so many milliseconds. */
  delay(milliseconds: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startPlatform(): Promise<BenchPlatform> {
  const running = startProcess({
    core: LOAD_CORE,
    args: [new URL('stub.ts', import.meta.url).pathname],
    ipc: true,
  });
  const [port] = (await once(running.child, 'message')) as [number];
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    delay: async (milliseconds) => {
      const set = once(running.child, 'message');
      running.child.send(milliseconds);
      await set;
    },
    stop: () => running.stop(),
  };
}
