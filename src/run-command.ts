import { nodeFault, packageFault } from './requirements.js';

/** Runs a command of the service. An older Node, or a package that is missing, is told in one line. */
export async function runCommand(args: readonly string[]): Promise<void> {
  let fault = nodeFault();
  if (fault === undefined) {
    try {
      // Loaded only now: an older Node, or a missing package, would stop the import with a message that helps nobody.
      const { run } = await import('./cli/index.js');
      process.exitCode = await run(args);
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
