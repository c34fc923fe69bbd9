import { problemsInFiles } from './problems-in-files.js';
import { EnvFileError, type Environment, readEnvironment } from '../config/environment.js';
import { nearMisses } from '../config/near-misses.js';
import { checkSettings } from '../config/parse-settings.js';
import { type Settings } from '../config/settings.js';
import { type Finding } from './finding.js';

/** The settings of this installation, and what is wrong with them. */
export interface Installation {
  /** Undefined if they cannot be used. */
  readonly settings: Settings | undefined;
  readonly environment: Environment;
  readonly findings: readonly Finding[];
}

/** Reads settings and the files that they name, as the service does at start. */
export async function readInstallation(given?: Environment): Promise<Installation> {
  let environment: Environment;
  try {
    environment = given ?? readEnvironment();
  } catch (error) {
    if (!(error instanceof EnvFileError)) throw error;
    const findings: Finding[] = [{ what: 'settings', state: 'wrong', found: error.message }];
    return { settings: undefined, environment: {}, findings };
  }
  return inspect(environment);
}

async function inspect(environment: Environment): Promise<Installation> {
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
    found: 'all are valid, and so are the files that they name',
  };
  return {
    settings: problems.length === 0 ? settings : undefined,
    environment,
    findings: [...(wrong.length === 0 ? [right] : wrong), ...warnings],
  };
}
