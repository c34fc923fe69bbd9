import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { settingDescriptions } from './setting.js';
import { Settings } from './settings.js';

/** The settings that cannot be used, each with what it must be; never with the value that it has. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly problems: readonly string[]) {
    super(`These settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Reads all settings from an environment at once. An empty value counts as absent.
 *
 * @throws SettingsError that names every bad setting.
 */
export function readSettings(environment: Readonly<Record<string, unknown>>): Settings {
  const given = settingDescriptions()
    .map(({ name }) => [name, environment[name]] as const)
    .filter(([, value]) => value !== undefined && value !== '');
  const settings = plainToInstance(Settings, Object.fromEntries(given), { exposeDefaultValues: true });
  const problems = validateSync(settings).flatMap((error) =>
    Object.values(error.constraints ?? {}).slice(-1),
  );
  // Node's own switch would undo PLATFORM_TLS_VERIFY, and what Redis and the secret stores verify.
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
