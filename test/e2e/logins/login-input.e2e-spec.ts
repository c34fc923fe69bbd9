import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCanaries } from '../../../packages/portico/test/support/secrets/canaries.js';
import { type Answer } from '../../support/graphql/graphql-caller.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { loginAnswer } from '../../../packages/portico/test/support/embedded-platform/platform-answers.js';

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { handle } }';
const DELEGATE = 'mutation ($input: DelegateInput!) { delegate(input: $input) { handle } }';

describe('the input of a login', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  beforeAll(async () => {
    platform = await startScriptedPlatform({ '*': loginAnswer() });
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
  });
  afterAll(() => app.close());

  const send = (query: string, input: Record<string, unknown>): Promise<Answer> =>
    app.graphql(query, { variables: { input } });
  const lastBody = (): unknown => JSON.parse(platform.requests.at(-1)?.body ?? 'null');

  const canaries = createCanaries();
  const long = (length: number): string => canaries.plant('LONG').padEnd(length, 'x');
  it.each<[string, string, Record<string, unknown>, string]>([
    ['an empty user name', LOGIN, { username: '', password: 'p' }, 'username must not be empty'],
    ['a blank user name', LOGIN, { username: ' \t', password: 'p' }, 'username must not be empty'],
    [
      'an invisible user name',
      LOGIN,
      { username: '\u200b\u00ad\u2060 \ufeff' },
      'username must not be empty',
    ],
    ['a long user name', LOGIN, { username: long(257) }, 'username must have at most 256 characters'],
    [
      'a long password',
      LOGIN,
      { username: 'u', password: long(4097) },
      'password must have at most 4096 characters',
    ],
    ['an empty API key', LOGIN, { apiKey: '' }, 'apiKey must not be empty'],
    ['a long API key', LOGIN, { apiKey: long(4097) }, 'apiKey must have at most 4096 characters'],
    ['an empty profile', LOGIN, { profile: '', profileKey: 'k' }, 'profile must not be empty'],
    [
      'a long profile',
      LOGIN,
      { profile: long(257), profileKey: 'k' },
      'profile must have at most 256 characters',
    ],
    ['an empty profile key', LOGIN, { profile: 'p', profileKey: '' }, 'profileKey must not be empty'],
    [
      'a negative application type',
      LOGIN,
      { applicationType: -5 },
      'applicationType must be a whole number from 0 to 65535',
    ],
    [
      'a large application type',
      LOGIN,
      { applicationType: 65_536 },
      'applicationType must be a whole number from 0 to 65535',
    ],
    [
      'two faults',
      LOGIN,
      { username: '', applicationType: -5 },
      'username must not be empty; applicationType must be a whole number from 0 to 65535',
    ],
    ['an empty identity token', DELEGATE, { identityToken: '' }, 'identityToken must not be empty'],
    [
      'a long identity token',
      DELEGATE,
      { identityToken: long(4097) },
      'identityToken must have at most 4096 characters',
    ],
    [
      'an API key with name and password',
      LOGIN,
      { username: 'u', password: 'p', apiKey: 'k' },
      'An apiKey cannot be combined with username or password',
    ],
    [
      'an API key with a user name',
      LOGIN,
      { username: 'u', apiKey: 'k' },
      'An apiKey cannot be combined with username or password',
    ],
    ['a password alone', LOGIN, { password: 'p' }, 'A password needs a user name'],
    [
      'LDAP with an API key',
      LOGIN,
      { apiKey: 'k', mode: 'LDAP' },
      'The login mode LDAP needs username and password',
    ],
    [
      'LDAP without a password',
      LOGIN,
      { username: 'u', mode: 'LDAP' },
      'The login mode LDAP needs username and password',
    ],
    ['LDAP without anything', LOGIN, { mode: 'LDAP' }, 'The login mode LDAP needs username and password'],
  ])(
    'is refused with %s, by the name of the field and without a value',
    async (_what, query, input, message) => {
      const before = platform.connections;
      const { errors, text } = await send(query, input);
      expect(errors).toHaveLength(1);
      expect(errors?.[0]).toMatchObject({
        message,
        extensions: { code: 'BAD_USER_INPUT', retryable: false },
      });
      expect(canaries.findIn(text)).toEqual([]);
      expect(platform.connections).toBe(before);
    },
  );

  it.each([
    ['name and password', {}, 1],
    ['name and password in standard mode', { mode: 'STANDARD' }, 1],
    ['name and password in LDAP', { mode: 'LDAP' }, 16],
  ])('logs in by %s', async (_what, mode, loginMode) => {
    const { errors } = await send(LOGIN, { username: 'u', password: 'p', ...mode });
    expect(errors).toBeUndefined();
    expect(lastBody()).toEqual({ username: 'u', password: 'p', loginMode, applicationType: 8 });
  });

  it('may have an empty password, the longest values, and null for what is left out', async () => {
    const username = 'u'.repeat(256);
    const { errors } = await send(LOGIN, { username, password: '', apiKey: null, applicationType: 65_535 });
    expect(errors).toBeUndefined();
    expect(lastBody()).toEqual({ username, password: '', loginMode: 1, applicationType: 65_535 });
  });
});

describe('anonymous logins', () => {
  const anonymous = 'mutation { login { handle } }';

  it('can be turned off, and all others stay', async () => {
    const app = await startApp({ ANONYMOUS_LOGIN: 'false' });
    for (const query of [anonymous, 'mutation { login(input: {username: null}) { handle } }']) {
      const { errors } = await app.graphql(query);
      expect(errors?.[0]).toMatchObject({
        message: 'Anonymous logins are turned off: log in with credentials',
        extensions: { code: 'FORBIDDEN', reason: 'ANONYMOUS_LOGIN_OFF', retryable: false },
      });
    }
    for (const input of [
      { username: 'demo', password: 'demo' },
      { username: 'demo' },
      { apiKey: 'demo-api-key' },
    ]) {
      expect((await app.graphql(LOGIN, { variables: { input } })).errors).toBeUndefined();
    }
    await app.close();
  });

  it('count for LOGIN_RATE_PER_ADDRESS as all logins do, and cost other networks nothing', async () => {
    const app = await startApp({ LOGIN_RATE_PER_ADDRESS: '5', TRUSTED_PROXIES: 'loopback' });
    const from = (address: string): Promise<Answer> =>
      app.graphql(anonymous, { headers: { 'x-forwarded-for': address } });
    for (let n = 0; n < 5; n += 1) expect((await from(`2001:db8::${n + 1}`)).errors).toBeUndefined();
    const { errors, headers } = await from('2001:db8::9');
    expect(errors?.[0]).toMatchObject({
      message: 'Too many logins from this address',
      extensions: { code: 'RATE_LIMITED', reason: 'LOGIN_RATE', retryable: true },
    });
    const retryAfter = Number(headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect((await from('2001:db8:1::1')).errors).toBeUndefined();
    await app.close();
  });
});
