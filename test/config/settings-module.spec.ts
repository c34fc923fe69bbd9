import { Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { GivenOptions, ProcessEnvironment, SettingsModule } from '../../src/config/settings.module.js';
import { Settings } from '../../src/config/settings.js';

const PORT = Symbol('PORT');

@Module({ providers: [{ provide: PORT, useValue: '4000' }], exports: [PORT] })
class Ports {}

/** It imports nothing: the settings are there for all. */
@Module({
  providers: [
    { provide: 'reads settings', inject: [Settings], useFactory: ({ PORT: port }: Settings) => port },
  ],
})
class Reader {}

describe('the settings of an application', () => {
  let testing: TestingModule | undefined;
  afterEach(async () => testing?.close());

  const compile = async (problemsIn: Parameters<typeof SettingsModule.with>[1]): Promise<TestingModule> => {
    const settings = SettingsModule.with(
      {
        imports: [Ports],
        inject: [PORT],
        useFactory: (port: string) => ({ environment: { PORT: port, OTHER: 'x' } }),
      },
      problemsIn,
    );
    testing = await Test.createTestingModule({ imports: [settings, Reader] }).compile();
    return testing;
  };

  it('are made from options that other modules make, and are there for all modules', async () => {
    const found = await compile(() => Promise.resolve([]));

    expect(found.get(Settings)).toBeInstanceOf(Settings);
    expect(found.get('reads settings')).toBe(4000);
    expect(found.get(ProcessEnvironment)).toEqual({ PORT: '4000', OTHER: 'x' });
    expect(found.get(GivenOptions)).toEqual({ environment: { PORT: '4000', OTHER: 'x' } });
  });

  it('are refused for what is wrong besides, which is looked for with settings and options', async () => {
    const compiling = compile((settings, { environment }) =>
      Promise.resolve([`HOST of ${settings.PORT} and ${environment?.OTHER ?? ''} is taken`]),
    );

    await expect(compiling).rejects.toThrow('HOST of 4000 and x is taken');
  });

  it('need neither modules nor anything else to be made', async () => {
    const settings = SettingsModule.with(
      { useFactory: (...given) => ({ sessions: { readReuseMs: given.length } }) },
      () => Promise.resolve([]),
    );
    testing = await Test.createTestingModule({ imports: [settings] }).compile();

    expect(testing.get(Settings).READ_REUSE_MS).toBe(0);
    expect(settings.imports).toEqual([]);
  });

  it('leave the secrets of the process alone where an environment is given', async () => {
    process.env.FEDERATION_SECRET = 'canary-of-sixteen';
    try {
      await SettingsModule.read({});

      expect(process.env.FEDERATION_SECRET).toBe('canary-of-sixteen');
    } finally {
      delete process.env.FEDERATION_SECRET;
    }
  });
});
