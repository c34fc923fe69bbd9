import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule, getConfigToken, registerAs } from '@nestjs/config';
import { type Environment, processEnvironment, readEnvironment } from './environment.js';
import { nearMisses } from './near-misses.js';
import { checkSettings, SettingsError } from './parse-settings.js';
import { secretSettings } from './setting.js';
import { Settings } from './settings.js';

const ENVIRONMENT = 'environment';

/** The injection token of the whole {@link Environment}: the variables that a profile file names are not settings. */
export const ProcessEnvironment = getConfigToken(ENVIRONMENT);

/**
 * Checks the content of the files that settings name. Skips files that do not exist and settings that are not set.
 *
 * @returns the problems, each starting with the name of its setting
 */
export type FileCheck = (settings: Settings) => Promise<readonly string[]>;

/** What was read at start. */
export interface ReadSettings {
  readonly settings: Settings;
  readonly environment: Environment;
  /** What the operator should know although the service starts. */
  readonly warnings: readonly string[];
  readonly module: DynamicModule;
}

/** Provides the settings, which are read once, before anything else is built. */
@Module({})
export class SettingsModule {
  /**
   * Reads the environment and `.env`, and removes the secret settings from `process.env`, so that neither a
   * diagnostic report nor a child process gets them.
   *
   * @param given used instead of the environment and `.env`
   * @param problemsInFiles what is wrong in the files that settings name; they are reported with everything else
   * @throws SettingsError
   */
  static async read(given?: Environment, problemsInFiles?: FileCheck): Promise<ReadSettings> {
    const environment = given ?? readEnvironment();
    if (given === undefined)
      for (const name of secretSettings()) Reflect.deleteProperty(processEnvironment(), name);
    const { settings, problems } = checkSettings(environment);
    const found = [...problems, ...((await problemsInFiles?.(settings)) ?? [])];
    if (found.length > 0) throw new SettingsError(found);
    const module = {
      module: SettingsModule,
      global: true,
      imports: [
        await ConfigModule.forRoot({
          isGlobal: true,
          ignoreEnvFile: true,
          validatePredefined: false,
          load: [registerAs(ENVIRONMENT, () => environment)],
        }),
      ],
      providers: [{ provide: Settings, useValue: settings }],
      exports: [Settings],
    };
    return { settings, environment, warnings: nearMisses(environment), module };
  }
}
