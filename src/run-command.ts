import { existsSync } from 'node:fs';
// Not by its names: a Node without one of them would stop here, with a message that helps nobody.
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as Commands from './cli/index.js';
import { nodeFault, packageFault } from './requirements.js';

/** The service with its packages in one file, for a quick start; a package from npm does not have it. */
const BUNDLE = new URL('bundle/service.js', import.meta.url);
/** Compiled code, which Node keeps for the next start. It is stored next to the code, so the same permissions protect both. */
const COMPILED = new URL('bundle/compiled', import.meta.url);

/** Runs a command of the service. If Node is too old, or a package is missing, it says so in one line. */
export async function runCommand(args: readonly string[]): Promise<void> {
  // Replaces Node's own listener, which would open the inspector, and the inspector runs any code. As early as possible.
  process.on('SIGUSR1', () => undefined);
  let fault = nodeFault();
  if (fault === undefined) {
    try {
      // Loaded only now: an older Node, or a missing package, would stop the import with a message that helps nobody.
      const { run } = await load();
      process.exitCode = await run(args);
      modules.flushCompileCache();
    } catch (error) {
      fault = packageFault(error);
      if (fault === undefined) throw error;
    }
  }
  if (fault !== undefined) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
  }
}

async function load(): Promise<typeof Commands> {
  if (!existsSync(BUNDLE)) return import('./cli/index.js');
  modules.enableCompileCache(fileURLToPath(COMPILED));
  return (await import(BUNDLE.href)) as typeof Commands;
}
