import { describe, expect, it } from 'vitest';
import { parseSettings, SettingsError } from '../../src/config/parse-settings.js';
import { readOptions, type SettingOptions } from '../../src/config/portico-options.js';

async function problemsOf(
  options: SettingOptions,
  inFiles: readonly string[] = [],
): Promise<readonly string[]> {
  try {
    await readOptions(options, () => Promise.resolve(inFiles));
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

describe('options', () => {
  it('give the settings that they stand for, before the environment', async () => {
    const { settings } = await readOptions({
      platform: { timeoutMs: 2000, headerVendor: undefined },
      environment: { PLATFORM_TIMEOUT_MS: '3000', PLATFORM_HEADER_VENDOR: 'MSTR', READ_REUSE_MS: '50' },
    });

    expect(settings).toMatchObject({
      PLATFORM_TIMEOUT_MS: 2000,
      PLATFORM_HEADER_VENDOR: 'MSTR',
      READ_REUSE_MS: 50,
    });
  });

  it.each([
    [{ production: false, environment: { NODE_ENV: 'production' } }, 'development'],
    [{ environment: { NODE_ENV: 'test' } }, 'test'],
    [{}, 'development'],
  ])('turn production on and off: with %j, it is %s', async (options, expected) => {
    expect((await readOptions(options)).settings.NODE_ENV).toBe(expected);
  });

  it('may be a URL where a text is one', async () => {
    const baseUrl = new URL('https://platform.example/api') as never;
    const { settings } = await readOptions({ platform: { baseUrl } });
    expect(settings.PLATFORM_BASE_URL).toBe('https://platform.example/api');
  });

  it.each([[Symbol('CANARY')], [{}], [[]], [5n], [() => 'CANARY'], [new Date()], [Promise.resolve()]])(
    'of a type that none has are named, in one error: %o',
    async (value) => {
      expect(await problemsOf({ platform: { baseUrl: value as never } })).toEqual([
        'platform.baseUrl must be an http or https URL without user, query, or fragment',
      ]);
    },
  );

  it('require what production requires', async () => {
    expect(await problemsOf({ production: true })).toEqual([
      expect.stringMatching(/^platform\.baseUrl is required: /),
      'sessions.keys is required in production',
    ]);
  });

  it('that are settings already are not checked again', async () => {
    const settings = parseSettings({ PORT: '4000' });
    const environment = { PROT: '1' };

    expect(await readOptions({ settings, environment })).toEqual({ settings, environment, warnings: [] });
  });

  it('that do not exist are named, with everything else', async () => {
    const options = { platform: { baseURL: 1, toString: 2, timeoutMs: 1 } } as SettingOptions;

    expect(await problemsOf(options, ['ISERVER_MESSAGES_FILE must be JSON'])).toEqual([
      'platform.baseURL is not an option',
      'platform.toString is not an option',
      expect.stringMatching(/^platform\.timeoutMs must be a whole number /),
      'platform.iserverMessagesFile must be JSON',
    ]);
  });

  it('are not named where the environment gives the setting, or where there is no option', async () => {
    const options = {
      sessions: { cookieSite: 'none' },
      environment: { PORT: 'x', CORS_ORIGINS: ' ' },
    } as const;

    expect(await problemsOf(options)).toEqual([
      expect.stringMatching(/^PORT must be /),
      'sessions.cookieSite may be none only together with CORS_ORIGINS',
    ]);
    expect(
      await problemsOf({ environment: { REDIS_TLS_CA: 'package.json', GRAPHQL_MAX_TOKENS: '1' } }),
    ).toEqual([
      expect.stringMatching(/^REDIS_TLS_CA needs a sessions.redisUrl /),
      expect.stringMatching(/^GRAPHQL_MAX_TOKENS must be /),
    ]);
  });

  it('come with what the environment seems to mean and has no effect', async () => {
    expect((await readOptions({ environment: { PROT: '1' } })).warnings).toEqual([
      'PROT is not a setting and has no effect: do you mean PORT?',
    ]);
  });
});
