import { createHash } from 'node:crypto';
import { Logger, type LoggerService } from '@nestjs/common';
import { LoginFailedError, PlatformSession } from 'portico/client';
import { CredentialError, CredentialProfiles } from 'portico/credentials';
import { DEMO_LOGINS, type EmbeddedPlatform, startEmbeddedPlatform } from 'portico/embedded-platform';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ProfilesFile,
  profilesFile,
} from '../../packages/portico/test/support/credentials/profiles-file.js';
import { ProfileLoginService } from '../../src/auth/profile-login.service.js';

const KEY = 'the key of the profile';
const hash = createHash('sha256').update(KEY).digest('hex');
const profile = (name: string, variable: string): string =>
  `  ${name}: { apiKey: { store: env, name: ${variable} }, profileKeySha256: ${hash} }\n`;
const TEXT = `profiles:\n${profile('nightly', 'GOOD')}${profile('outdated', 'BAD')}${profile('lost', 'NONE')}`;
const environment = { GOOD: DEMO_LOGINS.apiKey, BAD: 'an old key' };

let platform: EmbeddedPlatform;
let file: ProfilesFile;
let profiles: CredentialProfiles;
let session: PlatformSession;
let service: ProfileLoginService;
let lines: [level: string, text: string][];

beforeAll(() => {
  const logAs = (level: string) => (text: string) => lines.push([level, text]);
  const logger: LoggerService = { log: logAs('log'), warn: logAs('warn'), error: logAs('error') };
  Logger.overrideLogger(logger);
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(async () => {
  lines = [];
  platform = await startEmbeddedPlatform();
  file = await profilesFile(TEXT);
  profiles = await CredentialProfiles.open(file.path, { environment, onProblem: () => undefined });
  session = new PlatformSession(platform.baseUrl);
  service = new ProfileLoginService(profiles);
});
afterEach(async () => {
  await session.close();
  profiles.close();
  await file.remove();
  await platform.close();
});

describe('a login by profile', () => {
  it('logs in for the key of the profile, and writes nothing', async () => {
    await service.logInWithKey(session, 'nightly', KEY, {});

    expect(session.hasSession()).toBe(true);
    expect(lines).toEqual([]);
  });

  it('ends when its caller hangs up', async () => {
    const login = service.logInWithKey(session, 'nightly', KEY, { signal: AbortSignal.abort() });

    await expect(login).rejects.toThrow();
    expect(platform.calls).toEqual([]);
  });

  it.each([
    ['an unknown profile', 'weekly', KEY],
    ['a wrong key', 'nightly', 'wrong'],
  ])(
    'is refused for %s as the platform would, which is not asked; the log says so',
    async (_for, name, key) => {
      await expect(service.logInWithKey(session, name, key, {})).rejects.toMatchObject({
        constructor: LoginFailedError,
        code: 'ERR003',
      });

      expect(platform.calls).toEqual([]);
      expect(lines).toEqual([['warn', expect.stringContaining('refused')]]);
    },
  );

  it('is refused where there are no profiles', async () => {
    service = new ProfileLoginService(undefined);

    await expect(service.logInWithKey(session, 'nightly', KEY, {})).rejects.toThrow(LoginFailedError);
  });

  it.each([
    ['the platform refuses its credentials', 'outdated', LoginFailedError],
    ['its credentials cannot be loaded', 'lost', CredentialError],
  ])('fails if %s, and the log names the profile', async (_why, name, error) => {
    await expect(service.logInWithKey(session, name, KEY, {})).rejects.toThrow(error);

    expect(lines).toEqual([['error', expect.stringContaining(`profile ${name}`)]]);
  });

  it('that fails for what the platform reports anyway writes nothing of its own', async () => {
    await platform.close();

    await expect(service.logInWithKey(session, 'nightly', KEY, {})).rejects.toThrow();

    expect(lines).toEqual([]);
  });
});

describe('a session of a profile', () => {
  it('is logged in again without the key, and the log says so', async () => {
    await service.logIn(session, 'nightly');

    expect(session.hasSession()).toBe(true);
    expect(lines).toEqual([['log', expect.stringContaining('nightly')]]);
  });

  it('ends if the profile no longer exists, and the log says so', async () => {
    await expect(service.logIn(session, 'weekly')).rejects.toThrow(LoginFailedError);

    expect(lines).toEqual([['warn', expect.stringContaining('weekly')]]);
  });

  it('ends where there are no longer any profiles', async () => {
    service = new ProfileLoginService(undefined);

    await expect(service.logIn(session, 'nightly')).rejects.toThrow(LoginFailedError);
  });
});
