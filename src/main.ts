import { nodeFault, packageFault } from './requirements.js';

let fault = nodeFault();
if (fault === undefined) {
  try {
    // Loaded only now: an older Node, or a missing package, would stop the import with a message that helps nobody.
    const { serve } = await import('./app/serve.js');
    await serve();
  } catch (error) {
    fault = packageFault(error);
    if (fault === undefined) throw error;
  }
}
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
