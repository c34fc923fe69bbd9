import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';

describe('a service that npm runs', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let child: ChildProcess | undefined;
  beforeAll(async () => (folder = await tempFolder()));
  afterEach(() => {
    // The whole group: a shell that forwards no signal would leave the service.
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  });
  afterAll(() => folder.remove());

  /** Runs a script of package.json, but not its build, and waits for an address on its screen. */
  async function start(...script: string[]): Promise<{ npm: ChildProcess; url: string }> {
    const npm = spawn('npm', [...script, '--ignore-scripts'], {
      env: {
        ...process.env,
        PORT: '0',
        EMBEDDED_PLATFORM_PORT: '0',
        SESSION_STORE_PATH: join(folder.path, 'sessions.db'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    child = npm;
    let screen = '';
    for await (const chunk of npm.stdout) {
      screen += String(chunk);
      const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\S*\s/.exec(screen) ?? [];
      if (url !== undefined) {
        npm.stdout.resume();
        return { npm, url };
      }
    }
    throw new Error(`npm ended: ${screen}`);
  }

  it.each([
    ['npm start', ['start']],
    ['npm run platform', ['run', 'platform']],
  ])('ends with a SIGTERM to %s, and lets go of its port', async (_command, script) => {
    const { npm, url } = await start(...script);
    await expect(fetch(url)).resolves.toBeInstanceOf(Response);

    const exited = once(npm, 'exit');
    npm.kill('SIGTERM');
    await exited;

    await expect(fetch(url)).rejects.toThrow();
  });
});
