import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialProfiles } from 'portico/credentials';
import {
  profilesFile,
  type ProfilesFile,
} from '../../packages/portico/test/support/credentials/profiles-file.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { tryProfiles } from '../../src/telemetry/metrics.module.js';

const profile = (name: string, variable: string): string =>
  `  ${name}: { apiKey: { store: env, name: ${variable} }, profileKeySha256: ${'ab'.repeat(32)} }\n`;

describe('profiles that are tried out', () => {
  let file: ProfilesFile;
  let profiles: CredentialProfiles;
  let environment: Record<string, string>;
  let warnings: string[];
  let end: () => void;
  beforeEach(async () => {
    environment = { SET: 'a-key' };
    warnings = [];
    file = await profilesFile(`profiles:\n${profile('whole', 'SET')}${profile('broken', 'MISSING')}`);
    profiles = await CredentialProfiles.open(file.path, {
      environment,
      intervalMs: 5,
      onProblem: ({ message }) => warnings.push(message),
    });
    end = tryProfiles(profiles, { warn: (message: string) => warnings.push(message) }, 5);
  });
  afterEach(async () => {
    end();
    profiles.close();
    await file.remove();
  });
  const succeeded = (name: string): boolean | undefined => profiles.resolutionOf(name)?.succeeded;
  const warning = (name: string): string =>
    `The credentials of the profile ${name} cannot be fetched: env "MISSING": the variable is not set`;

  it('are known to work or not before their first use, with one warning', async () => {
    await eventually(() => {
      expect([succeeded('whole'), succeeded('broken')]).toEqual([true, false]);
    });
    // It is tried again, and found whole.
    environment.MISSING = 'a-key';
    await eventually(() => {
      expect(succeeded('broken')).toBe(true);
    });
    expect(warnings).toEqual([warning('broken')]);
  });

  it('are tried again when they have changed', async () => {
    await eventually(() => {
      expect([succeeded('whole'), succeeded('broken')]).toEqual([true, false]);
    });
    await file.write(`profiles:\n${profile('whole', 'MISSING')}`);
    await eventually(() => {
      expect(succeeded('whole')).toBe(false);
      expect(warnings).toEqual([warning('broken'), warning('whole')]);
    });
    expect(succeeded('broken')).toBeUndefined();
  });
});
