import { problemsInFiles } from '../../app/problems-in-files.js';
import { type Environment, readEnvironment } from '../../config/environment.js';
import { nearMisses } from '../../config/near-misses.js';
import { checkSettings } from '../../config/parse-settings.js';
import { type Settings } from '../../config/settings.js';
import { type Finding } from './finding.js';

/** The settings of this installation, and what is wrong with them. */
export interface Installation {
  /** Undefined where they cannot be used. */
  readonly settings: Settings | undefined;
  readonly environment: Environment;
  readonly findings: readonly Finding[];
}

/** Reads settings and the files that they name, as the service does at start. */
export async function readInstallation(environment: Environment = readEnvironment()): Promise<Installation> {
  const { settings, problems: own } = checkSettings(environment);
  const problems = [...own, ...(await problemsInFiles(settings))];
  const wrong = problems.map((problem): Finding => ({ what: 'settings', state: 'wrong', found: problem }));
  const warnings = nearMisses(environment).map((found): Finding => ({
    what: 'settings',
    state: 'warning',
    found,
  }));
  const right: Finding = {
    what: 'settings',
    state: 'right',
    found: 'all can be used, with the files that they name',
  };
  return {
    settings: problems.length === 0 ? settings : undefined,
    environment,
    findings: [...(wrong.length === 0 ? [right] : wrong), ...warnings],
  };
}
