import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { readSettings } from './read-settings.js';
import { Settings } from './settings.js';

/** Settings by name, as the environment holds them. */
export type Environment = Readonly<Record<string, string>>;

/** Gives the settings, read once before anything else is built, to whoever asks. */
@Module({})
export class SettingsModule {
  /**
   * Reads the environment and `.env`.
   *
   * @param environment used instead of both.
   * @throws SettingsError
   */
  static async read(environment?: Environment): Promise<{ settings: Settings; module: DynamicModule }> {
    let outcome: { settings: Settings } | { problem: unknown } | undefined;
    const config = await ConfigModule.forRoot({
      ignoreEnvFile: environment !== undefined,
      validate: (record: Record<string, unknown>) => {
        try {
          outcome = { settings: readSettings(environment ?? record) };
        } catch (problem) {
          outcome = { problem };
        }
        // What is given back here would be written to the process environment.
        return {};
      },
    });
    if (outcome === undefined) throw new Error('@nestjs/config did not ask for validation');
    if ('problem' in outcome) throw outcome.problem;
    const { settings } = outcome;
    const module = {
      module: SettingsModule,
      global: true,
      imports: [config],
      providers: [{ provide: Settings, useValue: settings }],
      exports: [Settings],
    };
    return { settings, module };
  }
}
