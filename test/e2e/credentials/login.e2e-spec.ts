import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Answer } from '../../support/graphql/graphql-caller.js';
import { holdTimers } from '../../../packages/portico/test/support/client/hold-timers.js';
import { profileYaml } from '../../support/credentials/profile-yaml.js';
import { startApp } from '../../support/app/start-app.js';
import { type ProfileApp, startProfileApp } from '../../support/credentials/start-profile-app.js';

const KEY = 'the-key-of-the-profile';
const PROFILES = profileYaml({ name: 'nightly', key: KEY }, { name: 'lost', key: KEY, secretId: 'lost' });
const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { handle me { fullName } } }';
const byProfile = (profile: string, profileKey: string) => ({ profile, profileKey, transport: 'BEARER' });

describe('a login by profile', () => {
  let running: ProfileApp;
  const logIn = (input: Record<string, unknown>): Promise<Answer> =>
    running.app.graphql(LOGIN, { variables: { input } });

  beforeAll(async () => {
    running = await startProfileApp(PROFILES);
    running.secrets.put('portico', JSON.stringify({ username: 'demo', password: 'demo' }));
  });
  afterAll(() => running.close());
  afterEach(() => {
    running.secrets.become('ready');
  });

  it('opens a session for a caller who knows the profile and its key, but no credentials', async () => {
    const { data, errors } = await logIn(byProfile('nightly', KEY));
    expect(errors).toBeUndefined();
    expect(data.login).toEqual({
      handle: expect.stringMatching(/^[\w-]{43}$/),
      me: { fullName: 'Dana Demo' },
    });
  });

  it('fails alike for an unknown profile, a wrong key, and a refusal by the platform, except for its ticket', async () => {
    const refusals = [
      byProfile('daily', KEY),
      byProfile('nightly', 'wrong'),
      byProfile('nightly', ' wrong'),
      { username: 'demo', password: 'wrong', transport: 'BEARER' },
    ];
    const texts = [];
    for (const input of refusals) {
      const { text, headers } = await logIn(input);
      const withoutTicket = text.replace(/"ticketId":"[0-9a-f]{32}",/, '');
      texts.push(withoutTicket.replace(String(headers.get('x-request-id')), 'the request id'));
    }
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED', reason: 'LOGIN_FAILED' } }],
    });
    expect(new Set(texts).size).toBe(1);
  });

  it('asks neither the secret store nor the platform before the key is right', async () => {
    const { fetches } = running.secrets;
    const { length } = running.platform.logins;
    await logIn(byProfile('nightly', 'wrong'));
    expect([running.secrets.fetches, running.platform.logins.length]).toEqual([fetches, length]);
  });

  it.each([
    ['a user name', { username: 'demo' }],
    ['a password', { password: 'demo' }],
    ['an API key', { apiKey: 'demo-api-key' }],
    ['an application type', { applicationType: 8 }],
    ['a login mode', { mode: 'LDAP' }],
  ])('is refused together with %s', async (_, credentials) => {
    const { length } = running.platform.logins;
    const { errors } = await logIn({ ...byProfile('nightly', KEY), ...credentials });
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('profile'),
        extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }),
      }),
    ]);
    expect(running.platform.logins).toHaveLength(length);
  });

  it.each([
    ['without its key', { profile: 'nightly' }],
    ['by the key alone', { profileKey: KEY }],
  ])('is refused %s', async (_, input) => {
    const { errors } = await logIn(input);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it.each([
    ['throttled', 'SECRET_THROTTLED', true],
    ['denied', 'SECRET_DENIED', false],
    ['failing', 'SECRET_UNREACHABLE', true],
    ['malformed', 'SECRET_MALFORMED', false],
  ] as const)('says of a store that is %s: %s', async (mood, reason, retryable) => {
    running.secrets.become(mood);
    const { errors, text } = await logIn(byProfile('nightly', KEY));
    expect(errors?.[0]?.extensions).toEqual({
      code: 'CREDENTIAL_UNAVAILABLE',
      reason,
      retryable,
      requestId: expect.any(String),
    });
    expect(text).not.toMatch(/secrets_manager|portico/);
  });

  it('tells the caller that a secret was not found, but not its name', async () => {
    const { errors, text } = await logIn(byProfile('lost', KEY));
    expect(errors?.[0]?.extensions).toMatchObject({ reason: 'SECRET_NOT_FOUND', retryable: false });
    expect(text).not.toMatch(/secrets_manager|"lost"/);
  });

  it('fails like any other login if no profiles are configured', async () => {
    const app = await startApp();
    const { errors } = await app.graphql(LOGIN, { variables: { input: byProfile('nightly', KEY) } });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'LOGIN_FAILED' });
    await app.close();
  });
});

describe('the file of the profiles', () => {
  let running: ProfileApp;
  const codeOf = async (profile: string): Promise<unknown> => {
    const { errors } = await running.app.graphql(LOGIN, { variables: { input: byProfile(profile, KEY) } });
    return errors?.[0]?.extensions.code;
  };

  beforeEach(async () => {
    holdTimers('setInterval');
    running = await startProfileApp(PROFILES);
    running.secrets.put('portico', JSON.stringify({ username: 'demo', password: 'demo' }));
  });
  afterEach(async () => {
    await running.close();
    vi.useRealTimers();
  });

  it('is updated without a restart, and unchanged by an invalid edit', async () => {
    expect(await codeOf('daily')).toBe('UNAUTHENTICATED');
    await running.file.write(profileYaml({ name: 'daily', key: KEY }));
    // By logins that succeed until then: ten that fail would be the limit, however slow the file is.
    for (let looks = 0; looks < 50 && (await codeOf('nightly')) === undefined; looks += 1) {
      vi.advanceTimersByTime(2000);
    }
    expect(await codeOf('nightly')).toBe('UNAUTHENTICATED');
    expect(await codeOf('daily')).toBeUndefined();

    await running.file.write('profiles: { daily: { password: CANARY } }');
    for (let looks = 0; looks < 4; looks += 1) {
      vi.advanceTimersByTime(2000);
      expect(await codeOf('daily')).toBeUndefined();
    }
  });
});
