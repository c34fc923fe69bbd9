import { readInstallation } from './installation.js';
import { type Finding, report } from './finding.js';
import { type CommandOptions } from './command-options.js';
import { lookAtStore } from './look-at-store.js';

/** Checks settings, files and store, and starts nothing. */
export async function check({ json }: CommandOptions): Promise<number> {
  const { settings, findings } = await readInstallation();
  const store: readonly Finding[] = settings === undefined ? [] : await lookAtStore(settings);
  return report([...findings, ...store], json);
}
