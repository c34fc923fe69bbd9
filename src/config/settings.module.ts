import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { type Environment, processEnvironment } from './environment.js';
import {
  type FileCheck,
  fromEnvironment,
  readOptions,
  type ReadSettings,
  type SettingOptions,
} from './portico-options.js';
import { secretSettings } from './setting.js';
import { Settings } from './settings.js';

/** The injection token of the whole {@link Environment}: the variables that a profile file names are not settings. */
export const ProcessEnvironment = Symbol('ProcessEnvironment');

/** The injection token of the options as they were given. */
export const GivenOptions = Symbol('GivenOptions');

/** Options that other parts of the application make. */
export interface AsyncOptions<T extends SettingOptions> extends Pick<ModuleMetadata, 'imports'> {
  /** What the factory gets. */
  readonly inject?: readonly unknown[];
  readonly useFactory: (...injected: never[]) => T | Promise<T>;
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
    const options = fromEnvironment(given);
    if (given === undefined)
      for (const name of secretSettings()) Reflect.deleteProperty(processEnvironment(), name);
    return readOptions(options, problemsInFiles);
  }

  /** @param problemsIn what is wrong with settings and options besides: in the files that they name, say. */
  static with<T extends SettingOptions>(
    { imports = [], inject = [], useFactory }: AsyncOptions<T>,
    problemsIn: (settings: Settings, options: T) => Promise<readonly string[]>,
  ): DynamicModule {
    const Read = Symbol('ReadSettings');
    return {
      module: SettingsModule,
      global: true,
      imports,
      providers: [
        { provide: GivenOptions, inject: inject as never[], useFactory },
        {
          provide: Read,
          inject: [GivenOptions],
          useFactory: (options: T) => readOptions(options, (settings) => problemsIn(settings, options)),
        },
        { provide: Settings, inject: [Read], useFactory: ({ settings }: ReadSettings) => settings },
        {
          provide: ProcessEnvironment,
          inject: [Read],
          useFactory: ({ environment }: ReadSettings) => environment,
        },
      ],
      exports: [GivenOptions, Settings, ProcessEnvironment],
    };
  }
}
