import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { CredentialProfiles, CredentialProfilesError } from '../../src/credentials/index.js';
import { PlatformSession } from '../../src/client/index.js';
import {
  DEMO_LOGINS,
  type EmbeddedPlatform,
  startEmbeddedPlatform,
} from '../../src/embedded-platform/index.js';
import { eventually } from '../support/eventually.js';
import { profilesFile, type ProfilesFile } from '../support/credentials/profiles-file.js';
import { secretCanary } from '../support/secrets/secret-canary.js';

const canary = secretCanary('KEY');

const profile = (name: string, key = canary.value): string =>
  `  ${name}: { apiKey: { store: env, name: API_KEY }, profileKeySha256: ${sha256(key)} }\n`;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('a watched file of credential profiles', () => {
  const environment: { API_KEY?: string } = {};
  let now: number;
  let platform: EmbeddedPlatform;
  let session: PlatformSession;
  let file: ProfilesFile;
  let profiles: CredentialProfiles;
  let problems: CredentialProfilesError[];
  let changes: number;

  beforeEach(async () => {
    platform = await startEmbeddedPlatform();
    session = new PlatformSession(platform.baseUrl);
    environment.API_KEY = DEMO_LOGINS.apiKey;
    problems = [];
    changes = 0;
    now = 0;
    file = await profilesFile(`profiles:\n${profile('nightly')}`);
    profiles = await CredentialProfiles.open(file.path, {
      environment,
      now: () => now,
      intervalMs: 10,
      onProblem: (problem) => problems.push(problem),
      onChange: () => (changes += 1),
    });
  });
  afterEach(async () => {
    profiles.close();
    await file.remove();
    await session.close();
    await platform.close();
  });

  it('logs a session in by a profile, for its key', async () => {
    await profiles.loginFor('nightly', canary.value)?.(session);
    expect(session.hasSession()).toBe(true);
  });

  it.each([
    ['a wrong key', 'nightly', 'wrong'],
    ['an empty key', 'nightly', ''],
    ['the hash of the key', 'nightly', sha256(canary.value)],
    ['a profile that is not there', 'daily', canary.value],
    ['a name that every object has', 'constructor', canary.value],
  ])('returns no login for %s', (_, name, key) => {
    expect(profiles.loginFor(name, key)).toBeUndefined();
  });

  it('logs a session in again by the profile that opened it', async () => {
    await profiles.loginOf('nightly')?.(session);
    expect(session.hasSession()).toBe(true);
    expect(profiles.loginOf('daily')).toBeUndefined();
  });

  it('tells how the last fetch of a profile ended, and when one last succeeded', async () => {
    expect(profiles.resolutionOf('nightly')).toBeUndefined();
    delete environment.API_KEY;
    await expect(profiles.tryOut('nightly')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    expect(profiles.resolutionOf('nightly')).toEqual({ succeeded: false, lastSuccess: undefined });

    environment.API_KEY = DEMO_LOGINS.apiKey;
    now = 1000;
    await profiles.tryOut('nightly');
    expect(profiles.resolutionOf('nightly')).toEqual({ succeeded: true, lastSuccess: 1000 });

    delete environment.API_KEY;
    now = 2000;
    await expect(profiles.tryOut('nightly')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    expect(profiles.resolutionOf('nightly')).toEqual({ succeeded: false, lastSuccess: 1000 });
  });

  it('tries out no profile that is not there', async () => {
    await profiles.tryOut('daily');

    expect(profiles.resolutionOf('daily')).toBeUndefined();
  });

  it('forgets how the fetches of a profile ended when that changes, and of no other', async () => {
    await file.write(`profiles:\n${profile('nightly')}${profile('daily')}`);
    await eventually(() => {
      expect(changes).toBe(1);
    });
    await profiles.tryOut('nightly');
    await profiles.tryOut('daily');

    await file.write(`profiles:\n${profile('nightly')}${profile('daily', 'another key')}`);
    await eventually(() => {
      expect(changes).toBe(2);
    });

    expect(profiles.resolutionOf('nightly')).toEqual({ succeeded: true, lastSuccess: 0 });
    expect(profiles.resolutionOf('daily')).toBeUndefined();
  });

  it('applies a valid change without a restart', async () => {
    await file.write(`profiles:\n${profile('daily')}${profile('nightly', 'another key')}`);

    await eventually(() => {
      expect(profiles.names).toEqual(['daily', 'nightly']);
    });
    expect(profiles.loginFor('nightly', canary.value)).toBeUndefined();
    expect(profiles.loginFor('nightly', 'another key')).toBeDefined();
    expect(changes).toBe(1);
    expect(problems).toEqual([]);
  });

  it('reports an invalid change once and without its values, and keeps the earlier profiles', async () => {
    await file.write(`profiles:\n  daily: { apiKey: ${DEMO_LOGINS.apiKey} }\n  weekly: text\n`);

    await eventually(() => {
      expect(problems.map(({ problems: found }) => found)).toEqual([
        [
          'profiles.daily.apiKey: must be an object',
          'profiles.daily.profileKeySha256: must be a SHA-256 in hexadecimal',
          'profiles.weekly: must be an object',
        ],
      ]);
    });
    expect(problems[0]?.message).not.toContain(DEMO_LOGINS.apiKey);
    expect(profiles.names).toEqual(['nightly']);
    expect(profiles.loginFor('nightly', canary.value)).toBeDefined();
    expect(changes).toBe(0);
  });

  it('reports a missing file, keeps the earlier profiles, and reads the file when it is back', async () => {
    await rm(file.path);
    await eventually(() => {
      expect(problems.map(({ problems: found }) => found)).toEqual([['cannot be read: ENOENT']]);
    });
    expect(profiles.names).toEqual(['nightly']);

    await file.write(`profiles:\n${profile('daily')}`);

    await eventually(() => {
      expect(profiles.names).toEqual(['daily']);
    });
  });

  it('applies no change once it is closed', async () => {
    profiles.close();
    const watched = await CredentialProfiles.open(file.path, {
      environment,
      intervalMs: 10,
      onProblem: (problem) => problems.push(problem),
    });
    await file.write(`profiles:\n${profile('daily')}`);

    await eventually(() => {
      expect(watched.names).toEqual(['daily']);
    });
    watched.close();

    expect(profiles.names).toEqual(['nightly']);
  });

  it.each([
    ['is not there', 'missing.yaml', 'cannot be read: ENOENT'],
    ['is a folder', '', 'cannot be read: EISDIR'],
  ])('cannot be opened when it %s', async (_, name, problem) => {
    const opening = CredentialProfiles.open(file.path.replace('profiles.yaml', name), {
      environment,
      onProblem: () => undefined,
    });

    await expect(opening).rejects.toThrow(CredentialProfilesError);
    await expect(opening).rejects.toThrow(problem);
  });

  it('shows neither keys nor credentials', async () => {
    await profiles.loginFor('nightly', canary.value)?.(session);

    expect(canary.isIn(profiles)).toBe(false);
    expect(JSON.stringify(profiles)).toBe('{}');
  });
});
