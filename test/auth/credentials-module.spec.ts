import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { CredentialProfiles } from 'portico/credentials';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { holdTimers } from '../../packages/portico/test/support/client/hold-timers.js';
import {
  type ProfilesFile,
  profilesFile,
} from '../../packages/portico/test/support/credentials/profiles-file.js';
import { CredentialsModule } from '../../src/auth/credentials.module.js';
import { type Environment } from '../../src/config/environment.js';
import { parseSettings } from '../../src/config/parse-settings.js';
import { ProcessEnvironment, SettingsModule } from '../../src/config/settings.module.js';
import { Settings } from '../../src/config/settings.js';
import { Observation } from '../../src/logging/observation.js';

const profile = (name: string): string =>
  `profiles:\n  ${name}: { apiKey: { store: env, name: KEY }, profileKeySha256: ${'a'.repeat(64)} }\n`;

let file: ProfilesFile;
let lines: [level: string, text: string][];

afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(async () => {
  holdTimers('setInterval');
  lines = [];
  file = await profilesFile(profile('nightly'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await file.remove();
});

/** An application that has the profiles of a file and nothing else. */
function application(environment: Environment): Promise<TestingModule> {
  const providers = [
    { provide: Settings, useValue: parseSettings(environment) },
    { provide: ProcessEnvironment, useValue: environment },
    { provide: Observation, useValue: new Observation() },
  ];
  const exports = [Settings, ProcessEnvironment, Observation];
  const surroundings = { module: SettingsModule, global: true, providers, exports };
  const logAs =
    (level: string) =>
    (text: string, ...more: unknown[]) => {
      if (more.at(-1) === CredentialProfiles.name) lines.push([level, text]);
    };
  return Test.createTestingModule({ imports: [surroundings, CredentialsModule] })
    .setLogger({ log: logAs('log'), warn: logAs('warn'), error: logAs('error') })
    .compile();
}

describe('the profiles of an application', () => {
  it('follow their file until the application ends, and the log says so', async () => {
    const [started, cleared] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')];
    const app = await application({ CREDENTIALS_FILE: file.path });
    const nth = started.mock.calls.findIndex(([, ms]) => ms === 2_000);
    const watch: unknown = started.mock.results[nth]?.value;
    const profiles = app.get(CredentialProfiles);

    await file.write(profile('weekly'));
    await eventually(() => {
      vi.advanceTimersByTime(2_000);
      expect(profiles.names).toEqual(['weekly']);
    });
    expect(cleared).not.toHaveBeenCalledWith(watch);
    await app.close();

    expect(lines).toEqual([['log', 'The credential profiles have changed']]);
    expect(cleared).toHaveBeenCalledWith(watch);
  });

  it('stay as they were when their file is no longer valid, and the log says so', async () => {
    const app = await application({ CREDENTIALS_FILE: file.path });

    await file.write('profiles: 1');
    await eventually(() => {
      vi.advanceTimersByTime(2_000);
      expect(lines).toEqual([['error', expect.stringContaining('The profiles are unchanged')]]);
    });

    expect(app.get(CredentialProfiles).names).toEqual(['nightly']);
    await app.close();
  });

  it('need not exist', async () => {
    const app = await application({});

    expect(app.get(CredentialProfiles)).toBeUndefined();
    expect(() => {
      app.get(CredentialsModule).onApplicationShutdown();
    }).not.toThrow();
    await app.close();
  });
});
