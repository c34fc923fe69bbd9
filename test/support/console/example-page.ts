import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installFolder } from '../install-folder.js';
import { noBrowser } from './browser.js';

const FOLDER = fileURLToPath(new URL('../../../examples/page', import.meta.url));
const PREVIEW = `
  import { preview } from 'vite';
  const server = await preview({
    build: { outDir: process.env.OUT_DIR },
    preview: { host: '127.0.0.1', port: 0 },
    logLevel: 'error',
  });
  console.log('http://127.0.0.1:' + server.httpServer.address().port);`;

// Here and not in a hook, which would have to be quick.
if (noBrowser === undefined) await installFolder('examples/page');

/** The example page as its visitors get it, on a port of its own. */
export interface ExamplePage {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Makes the types of the schema, and checks the page by them.
 *
 * @throws with what the compiler says, where the page does not match the schema.
 */
export async function checkExamplePage(): Promise<void> {
  await run('gql.tada', 'generate-output');
  await run('tsc');
}

/** @param folder of the caller alone: another test may build the page at the same time. */
export async function buildExamplePage(folder: string): Promise<void> {
  await run('vite', 'build', '--outDir', folder, '--emptyOutDir');
}

async function run(tool: string, ...args: string[]): Promise<void> {
  try {
    await promisify(execFile)(`${FOLDER}/node_modules/.bin/${tool}`, args, { cwd: FOLDER });
  } catch (fault) {
    throw new Error((fault as { stdout?: string }).stdout ?? String(fault), { cause: fault });
  }
}

/**
 * @param portico the service that the page asks, through its own origin.
 * @param folder where the page was built.
 */
export async function startExamplePage(portico: string, folder: string): Promise<ExamplePage> {
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '--eval', PREVIEW], {
    cwd: FOLDER,
    env: { ...process.env, PORTICO_URL: portico, OUT_DIR: folder, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (line: Buffer) => {
      resolve(line.toString().trim());
    });
    child.once('exit', (code) => {
      reject(new Error(`the page's server ended with ${String(code)}`));
    });
  });
  return {
    url,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
