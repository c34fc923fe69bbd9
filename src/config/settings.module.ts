import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { environment as processEnvironment } from './environment.js';
import { readSettings } from './read-settings.js';
import { Settings } from './settings.js';

/** Settings by name, as the environment holds them. */
export type Environment = Readonly<Record<string, string>>;

/** The injection token of the whole {@link Environment}, for credentials whose names only a profile file knows. */
export const ProcessEnvironment = Symbol('ProcessEnvironment');

/** What must not show in a diagnostic report, nor be handed to a child process. */
const SECRETS: readonly (keyof Settings)[] = ['SESSION_KEYS', 'REDIS_URL', 'FEDERATION_SECRET'];

/** Gives the settings, read once before anything else is built, to whoever asks. */
@Module({})
export class SettingsModule {
  /**
   * Reads the environment and `.env`, and takes the secrets among the settings out of `process.env`.
   *
   * @param environment used instead of both.
   * @throws SettingsError
   */
  static async read(environment?: Environment): Promise<{ settings: Settings; module: DynamicModule }> {
    let outcome:
      { settings: Settings; source: Readonly<Record<string, unknown>> } | { problem: unknown } | undefined;
    const config = await ConfigModule.forRoot({
      ignoreEnvFile: environment !== undefined,
      validate: (record: Record<string, unknown>) => {
        try {
          const source = environment ?? record;
          outcome = { settings: readSettings(source), source };
        } catch (problem) {
          outcome = { problem };
        }
        // What is given back here would be written to the process environment.
        return {};
      },
    });
    if (environment === undefined)
      for (const name of SECRETS) Reflect.deleteProperty(processEnvironment(), name);
    if (outcome === undefined) throw new Error('@nestjs/config did not ask for validation');
    if ('problem' in outcome) throw outcome.problem;
    const { settings, source } = outcome;
    const module = {
      module: SettingsModule,
      global: true,
      imports: [config],
      providers: [
        { provide: Settings, useValue: settings },
        { provide: ProcessEnvironment, useValue: source },
      ],
      exports: [Settings, ProcessEnvironment],
    };
    return { settings, module };
  }
}
