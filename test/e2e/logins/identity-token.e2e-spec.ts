import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedPlatform, startEmbeddedPlatform } from 'portico/embedded-platform';
import { MetricsModule } from '../../../src/telemetry/metrics.module.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { type Answer, bearerHandle } from '../../support/graphql/graphql-caller.js';
import { metricsReader } from '../../support/metrics-reader.js';

const MINT = 'mutation { identityToken { token expiresAt } }';
const JOIN = `mutation ($token: String!) {
  delegate(input: { identityToken: $token, transport: BEARER }) { handle me { fullName } }
}`;

describe('an identity token', () => {
  let platform: EmbeddedPlatform;
  let app: TestApp;
  let other: TestApp;
  let handle: string;
  beforeAll(async () => {
    platform = await startEmbeddedPlatform();
    const settings = { PLATFORM_BASE_URL: platform.baseUrl, METRICS_PORT: '0' };
    app = await startApp({ ...settings, IDENTITY_TOKENS: 'true' });
    other = await startApp(settings);
    handle = await bearerHandle(app.graphql, { username: 'demo', password: 'demo' });
  });
  afterAll(async () => {
    await app.close();
    await other.close();
    await platform.close();
  });

  const join = (token: string): Promise<Answer> => other.graphql(JOIN, { variables: { token } });

  it('lets another instance join the session, once', async () => {
    const minted = await app.graphql(MINT, { handle });
    expect(minted.errors).toBeUndefined();
    expect(minted.headers.get('cache-control')).toBe('private, no-store');
    const { token, expiresAt } = minted.data.identityToken as { token: string; expiresAt: string };
    const seconds = (Date.parse(expiresAt) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);

    const joined = await join(token);
    expect(joined.data.delegate.me.fullName).toBe('Dana Demo');
    expect(joined.data.delegate.handle).not.toBe(handle);
    expect((await join(token)).errors?.[0]?.extensions).toMatchObject({
      code: 'UNAUTHENTICATED',
      reason: 'LOGIN_FAILED',
    });
    expect((await app.graphql('{ me { fullName } }', { handle })).errors).toBeUndefined();
  });

  it('is another one for each who asks at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.graphql(MINT, { handle })));
    expect(new Set(answers.map(({ data }) => data.identityToken.token as string)).size).toBe(20);
  });

  it('is refused where the operator has not allowed them, and where there is no session', async () => {
    const { errors } = await other.graphql(MINT, { handle: await bearerHandle(other.graphql, {}) });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'IDENTITY_TOKENS_OFF' });
    expect((await app.graphql(MINT)).errors?.[0]?.extensions.reason).toBe('NO_SESSION');
  });

  it('is asked for by cookie only from a page that may', async () => {
    const login = await app.graphql(
      'mutation { login(input: { username: "demo", password: "demo" }) { expiresAt } }',
    );
    const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const { errors } = await app.graphql(MINT, { headers: { cookie, origin: 'https://elsewhere.example' } });
    expect(errors?.[0]?.extensions.reason).toBe('ORIGIN_NOT_ALLOWED');
    const { data } = await app.graphql(MINT, { headers: { cookie, origin: app.url } });
    expect(data.identityToken.token).toMatch(/^\S{16,}$/);
  });

  it('is counted by its outcome', async () => {
    const at = metricsReader(app.app.get(MetricsModule).url ?? '');
    const atOther = metricsReader(other.app.get(MetricsModule).url ?? '');
    const series = (outcome: string, reason: string): string =>
      `portico_identity_tokens_total{outcome="${outcome}",reason="${reason}"}`;
    expect(await at.value(series('success', ''))).toBe(22);
    expect(await at.value(series('failure', 'NO_SESSION'))).toBe(1);
    expect(await atOther.value(series('refused', 'IDENTITY_TOKENS_OFF'))).toBe(1);
  });
});
