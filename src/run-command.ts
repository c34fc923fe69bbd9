/**
 * Runs a command of the service. An older Node is reported in one line: importing the commands there would fail with a
 * message about the first thing that it lacks.
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  // Replaces Node's own listener, which would open the inspector, and the inspector runs any code. As early as possible.
  process.on('SIGUSR1', () => undefined);
  const fault = nodeFault();
  if (fault !== undefined) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
    return;
  }
  const { run } = await import('./app/cli.js');
  process.exitCode = await run(args);
}

function nodeFault(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 13)) return undefined;
  return `Portico needs Node 24.13 or newer; this is ${process.versions.node}. In a checkout, npm start uses the Node that the project installs.`;
}
