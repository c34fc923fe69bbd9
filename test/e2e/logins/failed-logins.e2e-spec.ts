import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer } from '../../support/graphql/graphql-caller.js';
import {
  type RecordingPlatform,
  startRecordingPlatform,
} from '../../support/embedded-platform/recording-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { redisMissing, startRedis } from '../../support/session/start-redis.js';

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { handle } }';

describe('failed logins', () => {
  let platform: RecordingPlatform;
  let app: TestApp;
  beforeEach(async () => {
    platform = await startRecordingPlatform();
    app = await startApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      LOGIN_FAILURES_PER_MINUTE: '5',
      TRUSTED_PROXIES: 'loopback',
    });
  });
  afterEach(async () => {
    await app.close();
    await platform.close();
  });

  const logIn = (input: Record<string, unknown>, address = '192.0.2.1'): Promise<Answer> =>
    app.graphql(LOGIN, {
      variables: { input: { ...input, transport: 'BEARER' } },
      headers: { 'x-forwarded-for': address },
    });
  const login = (username: string, password: string, address?: string): Promise<Answer> =>
    logIn({ username, password }, address);
  const codeOf = ({ errors }: Answer): unknown => errors?.[0]?.extensions.code;

  it('of one account from one network are five in a minute; the sixth is not made, and nobody else is affected', async () => {
    for (let n = 0; n < 5; n += 1) expect(codeOf(await login('demo', `guess ${n}`))).toBe('UNAUTHENTICATED');
    const before = platform.calls();
    const limited = await login('DE\u200BMO', 'demo');
    expect(limited.errors?.[0]).toMatchObject({
      message: 'Too many failed logins',
      extensions: {
        code: 'RATE_LIMITED',
        reason: 'FAILED_LOGINS',
        retryable: true,
        retryAfter: expect.any(Number),
      },
    });
    const { retryAfter } = limited.errors?.[0]?.extensions ?? {};
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(limited.headers.get('retry-after')).toBe(String(retryAfter));
    expect(platform.calls()).toBe(before);
    expect(codeOf(await login('many-projects', 'demo'))).toBeUndefined();
    expect(codeOf(await login('demo', 'demo', '192.0.2.2'))).toBeUndefined();
  });

  it('from one office slow its logins down, but refuse none of them', async () => {
    for (let n = 0; n < 25; n += 1) {
      expect(codeOf(await login(`user ${n}`, 'guess', '192.0.2.9'))).toBe('UNAUTHENTICATED');
    }
    const users = ['demo', 'many-projects', 'no-privileges', 'backend-down'];
    const answers = await Promise.all(users.map((user) => login(user, 'demo', '192.0.2.9')));
    expect(answers.map(codeOf)).toEqual(users.map(() => undefined));
  });

  it('count by the address that the trusted proxy saw, not by one that the caller sent', async () => {
    for (let n = 0; n < 5; n += 1) await login('demo', 'guess', `203.0.113.${n}, 192.0.2.9`);
    expect(codeOf(await login('demo', 'demo', '198.51.100.1, 192.0.2.9'))).toBe('RATE_LIMITED');
    expect(codeOf(await login('demo', 'demo', '198.51.100.1, 192.0.2.10'))).toBeUndefined();
  });

  it('of a profile are not those of a user with the same name, nor of one in another network', async () => {
    for (let n = 0; n < 5; n += 1) {
      expect(codeOf(await logIn({ profile: 'demo', profileKey: `guess ${n}` }))).toBe('UNAUTHENTICATED');
    }
    expect(codeOf(await logIn({ profile: 'demo', profileKey: 'guess' }))).toBe('RATE_LIMITED');
    expect(codeOf(await logIn({ profile: 'demo', profileKey: 'guess' }, '192.0.2.2'))).toBe(
      'UNAUTHENTICATED',
    );
    expect(codeOf(await login('demo', 'demo'))).toBeUndefined();
  });

  it('with a revoked API key end its retries, and those of no other key', async () => {
    for (let n = 0; n < 5; n += 1) expect(codeOf(await logIn({ apiKey: 'revoked' }))).toBe('UNAUTHENTICATED');
    expect(codeOf(await logIn({ apiKey: 'revoked' }))).toBe('RATE_LIMITED');
    expect(codeOf(await logIn({ apiKey: 'demo-api-key' }))).toBeUndefined();
  });

  it('do not include successful logins, however many', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => login('demo', 'demo')));
    expect(answers.map(codeOf)).toEqual(Array(40).fill(undefined));
  });
});

const overRedis = redisMissing === undefined ? describe : describe.skip;

overRedis(
  `failed logins over Redis${redisMissing === undefined ? '' : ` (skipped: ${redisMissing})`}`,
  () => {
    it('are counted over all instances, and no user name is among the counters', async () => {
      const redis = await startRedis();
      const platform = await startRecordingPlatform();
      const settings = {
        PLATFORM_BASE_URL: platform.baseUrl,
        SESSION_STORE: 'redis',
        REDIS_URL: redis.url,
        LOGIN_FAILURES_PER_MINUTE: '4',
      };
      const apps = await Promise.all([startApp(settings), startApp(settings)]);
      const codes: unknown[] = [];
      for (let n = 0; n < 5; n += 1) {
        const variables = { input: { username: 'demo', password: n < 4 ? 'guess' : 'demo' } };
        const { errors } = await apps[n % 2 === 0 ? 0 : 1].graphql(LOGIN, { variables });
        codes.push(errors?.[0]?.extensions.code);
      }
      expect(codes).toEqual([...Array<string>(4).fill('UNAUTHENTICATED'), 'RATE_LIMITED']);
      const keys = await redis.admin.keys('portico:login-failures:*');
      expect(keys).toHaveLength(3);
      expect(keys.join()).not.toContain('demo');

      await redis.kill();
      const before = platform.calls();
      const { status, errors } = await apps[0].graphql(LOGIN, {
        variables: { input: { username: 'other' } },
      });
      expect(status).toBe(503);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE', retryable: true });
      expect(platform.calls()).toBe(before);
      await Promise.all(apps.map((app) => app.close()));
      await redis.close();
      await platform.close();
    });
  },
);
