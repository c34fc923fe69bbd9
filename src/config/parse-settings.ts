import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { settingDescriptions } from './checks/setting.js';
import { Settings } from './settings.js';

/** Lists every setting that cannot be used and what it must be, but never its value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly problems: readonly string[]) {
    super(`These settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Takes all settings from an environment and checks them together. An empty value counts as not set.
 *
 * @throws SettingsError that names every setting that cannot be used
 */
export function parseSettings(environment: Readonly<Record<string, unknown>>): Settings {
  const given = settingDescriptions()
    .map(({ name }) => [name, environment[name]] as const)
    .filter(([, value]) => value !== undefined && value !== '');
  const settings = plainToInstance(Settings, Object.fromEntries(given), { exposeDefaultValues: true });
  const problems = validateSync(settings).flatMap((error) =>
    Object.values(error.constraints ?? {}).slice(-1),
  );
  // Node's own switch would override PLATFORM_TLS_VERIFY and turn off the checks of Redis and secret store connections.
  if (
    environment.NODE_TLS_REJECT_UNAUTHORIZED === '0' &&
    settings.production &&
    !settings.ALLOW_INSECURE_TLS
  ) {
    problems.push(
      'NODE_TLS_REJECT_UNAUTHORIZED may be 0 in production only together with ALLOW_INSECURE_TLS=true',
    );
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
}
