import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SERVE = fileURLToPath(new URL('../../../examples/embedding/serve.ts', import.meta.url));

/** Both pages of the embedding example, served by its own program on free ports. */
export interface EmbeddingExample {
  readonly portal: string;
  readonly reports: string;
  /** All that the program has written so far. */
  output(): string;
  stop(): Promise<void>;
}

/** @param porticos the services that the portal and the reports ask. */
export async function startEmbeddingExample(...porticos: [string, string]): Promise<EmbeddingExample> {
  const child: ChildProcess = spawn(process.execPath, [SERVE, ...porticos], {
    env: { PATH: process.env.PATH ?? '', PORTAL_PORT: '0', REPORTS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = once(child, 'exit');
  const [portal = '', reports = ''] = await new Promise<string[]>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const origins = output.match(/http:\S+/g);
        if (origins?.length === 2) resolve(origins);
      });
    }
    void exited.then(() => {
      reject(new Error(`the example ended: ${output}`));
    });
  });
  return {
    portal,
    reports,
    output: () => output,
    stop: async () => {
      child.kill();
      await exited;
    },
  };
}
