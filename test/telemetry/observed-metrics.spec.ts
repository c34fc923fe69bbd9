import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MetricsModule } from '../../src/telemetry/metrics.module.js';
import { Observation } from '../../src/logging/observation.js';
import { startApp, type TestApp } from '../support/app/start-app.js';
import {
  loginAnswer,
  errorAnswer,
} from '../../packages/portico/test/support/embedded-platform/platform-answers.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { gate } from '../../packages/portico/test/support/gate.js';
import { type Answer, bearerHandle } from '../support/graphql/graphql-caller.js';
import { type MetricsReader, metricsReader } from '../support/metrics-reader.js';
import { redisMissing, type RunningRedis, startRedis } from '../support/session/start-redis.js';

const WRONG = 'mutation { login(input: {username: "CANARY-name", password: "wrong"}) { handle } }';

describe('the metrics port', () => {
  let app: TestApp;
  let platform: ScriptedPlatform;
  let metrics: MetricsReader;
  const held = gate();
  beforeAll(async () => {
    const refused = errorAnswer(401, 'ERR003', 'Login failure', { iServerCode: -2147216972 });
    platform = await startScriptedPlatform({
      'POST auth/login': [loginAnswer(), refused, loginAnswer()],
      'POST auth/logout': { status: 204 },
      'GET projects': async (_request, response) => {
        await held.passed;
        response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      },
    });
    app = await startApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      METRICS_PORT: '0',
      LOGIN_FAILURES_PER_MINUTE: '1',
    });
    metrics = metricsReader(app.app.get(MetricsModule).url ?? '');
  });
  afterAll(() => app.close());

  it('counts logins by outcome and reason, what the limiter refuses among them', async () => {
    await bearerHandle(app.graphql, { username: 'ada', password: 'secret' });
    await app.graphql(WRONG);
    await app.graphql(WRONG);

    const logins = (labels: string) => metrics.value(`portico_logins_total{event="login",${labels}}`);
    expect(await logins('outcome="success",reason=""')).toBe(1);
    expect(await logins('outcome="failure",reason="ACCOUNT_LOCKED"')).toBe(1);
    expect(await logins('outcome="refused",reason="FAILED_LOGINS"')).toBe(1);
    expect(await metrics.text()).not.toContain('CANARY');
  });

  it('shows work in progress, and nothing once it has ended or its caller has left', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'ada', password: 'secret' });
    const caller = new AbortController();
    // Its own: `fetch` may open another connection for nobody, and the end of the service would wait for that.
    const connections = new Agent();
    const ask = (): Promise<unknown> =>
      request(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${handle}` },
        body: JSON.stringify({ query: '{ projects { id } }' }),
        signal: caller.signal,
        dispatcher: connections,
      }).catch(() => undefined);
    const asked = [ask(), ask()];
    await eventually(async () => (await metrics.value('portico_http_requests_in_flight')) === 2);
    await eventually(async () => (await metrics.value('portico_platform_calls_in_flight')) === 1);
    caller.abort();
    await Promise.all(asked);
    await eventually(async () => (await metrics.value('portico_http_requests_in_flight')) === 0);
    held.open();
    await eventually(async () => (await metrics.value('portico_platform_calls_in_flight')) === 0);
    await connections.destroy();
  });

  it('shows live sessions, times the store, and shows the circuits closed', async () => {
    const before = (await metrics.value('portico_sessions_live')) ?? NaN;
    const handle = await bearerHandle(app.graphql, { username: 'ada', password: 'secret' });
    expect(await metrics.value('portico_sessions_live')).toBe(before + 1);
    await app.graphql('mutation { logout { loggedOut } }', { handle });
    expect(await metrics.value('portico_sessions_live')).toBe(before);

    const store = 'portico_session_store_operation_duration_seconds_count';
    expect(await metrics.value(`${store}{operation="read",outcome="ok"}`)).toBeGreaterThan(0);
    expect(await metrics.value('portico_platform_circuit_open{circuit="auth"}')).toBe(0);
  });

  it('shows a circuit as open until its pause is over, although nobody calls the platform then', async () => {
    const open = (circuit: string): Promise<number | undefined> =>
      metrics.value(`portico_platform_circuit_open{circuit="${circuit}"}`);
    const observation = app.app.get(Observation);
    observation.tell('circuitChange', { circuit: 'auth', isOpen: true, openMs: 60_000 });
    observation.tell('circuitChange', { circuit: 'data', isOpen: true, openMs: 1 });
    await eventually(async () => (await open('data')) === 0);
    expect(await open('auth')).toBe(1);
    observation.tell('circuitChange', { circuit: 'auth', isOpen: false, openMs: 0 });
    expect(await open('auth')).toBe(0);
  });

  it('shows its version as a metric and at /version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const node = process.versions.node;
    expect(await metrics.value(`portico_build_info{version="${version}",node="${node}"}`)).toBe(1);
    const answer = await fetch(new URL('/version', metrics.url));
    expect(await answer.json()).toEqual({ name: 'portico', version, node });
    expect((await fetch(new URL('/version', app.url))).status).toBe(404);
  });
});

describe('METRICS_HOST', () => {
  const running: TestApp[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.close()));
  });
  const metricsUrl = async (environment: Record<string, string>): Promise<string> => {
    const app = await startApp({ METRICS_PORT: '0', ...environment });
    running.push(app);
    return app.app.get(MetricsModule).url ?? '';
  };

  it('keeps the metrics on this machine unless it is set, wherever the service listens', async () => {
    expect(await metricsUrl({ HOST: '0.0.0.0' })).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(await metricsUrl({ METRICS_HOST: '0.0.0.0' })).toMatch(/^http:\/\/0\.0\.0\.0:/);
  });
});

(redisMissing === undefined ? describe : describe.skip)(
  `the metrics of a store that is away (${redisMissing ?? 'a Redis that is stopped'})`,
  () => {
    let redis: RunningRedis;
    let app: TestApp;
    beforeAll(async () => {
      redis = await startRedis();
      app = await startApp({ SESSION_STORE: 'redis', REDIS_URL: redis.url, METRICS_PORT: '0' });
    });
    afterAll(async () => {
      await app.close();
      await redis.close();
    });

    it('count its errors, and have no number of sessions, which Redis cannot tell cheaply', async () => {
      const metrics = metricsReader(app.app.get(MetricsModule).url ?? '');
      expect(await metrics.text()).not.toMatch(/^portico_sessions_live /m);
      await redis.kill();
      const ask = (): Promise<Answer> => app.graphql('{ hasSession }', { handle: 'A'.repeat(43) });
      await eventually(async () => (await ask()).status === 503);

      const series =
        'portico_session_store_operation_duration_seconds_count{operation="read",outcome="error"}';
      expect(await metrics.value(series)).toBeGreaterThan(0);
    });
  },
);

describe('the dashboard and the alerts in deploy/', () => {
  it('ask for no metric and no label that a running service does not have', async () => {
    const app = await startApp({ METRICS_PORT: '0' });
    const text = await metricsReader(app.app.get(MetricsModule).url ?? '').text();
    await app.close();
    const known = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_count`, `${name}_sum`, `${name}_bucket`] : [name],
      ),
    );
    // Profiles show only where there are some.
    known.add('portico_credential_profile_resolved');
    for (const file of ['deploy/prometheus/alerts.yaml', 'deploy/grafana/dashboards/portico.json']) {
      const named = readFileSync(file, 'utf8').match(/\b(portico|process|nodejs)_[a-z0-9_]+\b/g) ?? [];
      expect(named.length).toBeGreaterThan(10);
      expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
    }
  });
});
