import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule, getConfigToken, registerAs } from '@nestjs/config';
import { type Environment, processEnvironment, readEnvironment } from './environment.js';
import { parseSettings } from './parse-settings.js';
import { secretSettings } from './checks/setting.js';
import { Settings } from './settings.js';

const ENVIRONMENT = 'environment';

/** The injection token of the whole {@link Environment}: the variables that a profile file names are not settings. */
export const ProcessEnvironment = getConfigToken(ENVIRONMENT);

/** Provides the settings, which are read once, before anything else is built. */
@Module({})
export class SettingsModule {
  /**
   * Reads the environment and `.env`, and removes the secret settings from `process.env`, so that neither a diagnostic
   * report nor a child process gets them.
   *
   * @param given used instead of the environment and `.env`
   * @throws SettingsError
   */
  static async read(
    given?: Environment,
  ): Promise<{ settings: Settings; environment: Environment; module: DynamicModule }> {
    const environment = given ?? readEnvironment();
    if (given === undefined)
      for (const name of secretSettings()) Reflect.deleteProperty(processEnvironment(), name);
    const settings = parseSettings(environment);
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
    return { settings, environment, module };
  }
}
