import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type AddressInfo } from 'node:net';
import { createApp } from '../../src/app/app.factory.js';
import { MetricsModule } from '../../src/telemetry/metrics.module.js';
import { storeKey } from '../../src/session/handle.js';
import { SessionStore } from '../../src/session/store/session-store.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { profileYaml } from '../support/credentials/profile-yaml.js';
import { startApp } from '../support/app/start-app.js';
import { type ProfileApp, startProfileApp } from '../support/credentials/start-profile-app.js';
import { tempFolder } from '../support/temp-folder.js';

const KEY = 'the-key-of-the-profile';
const PROFILES = profileYaml({ name: 'nightly', key: KEY }, { name: 'broken', key: KEY, secretId: 'lost' });
const LOGIN = `mutation { login(input: {profile: "nightly", profileKey: "${KEY}", transport: BEARER}) { handle } }`;

describe('the metrics port', () => {
  let running: ProfileApp;
  let url: string;
  const scrape = async (): Promise<string> => (await fetch(url)).text();
  /** The value of one sample; undefined where there is none. */
  const sample = async (series: string): Promise<number | undefined> => {
    const line = (await scrape()).split('\n').find((text) => text.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length));
  };
  const resolved = (profile: string) => sample(`portico_credential_profile_resolved{profile="${profile}"}`);
  const lastSuccess = (profile: string) =>
    sample(`portico_credential_profile_last_success_timestamp_seconds{profile="${profile}"}`);

  beforeAll(async () => {
    running = await startProfileApp(PROFILES, { METRICS_PORT: '0' }, (secrets) => {
      secrets.put('portico', JSON.stringify({ username: 'demo', password: 'demo' }));
    });
    url = running.app.app.get(MetricsModule).url ?? '';
  });
  afterAll(() => running.close());
  afterEach(() => {
    running.secrets.become('ready');
  });

  it('shows an operator, by profile name, whether its credentials were last fetched, and when', async () => {
    // Before anyone has logged in by them.
    await eventually(async () => {
      expect([await resolved('nightly'), await resolved('broken')]).toEqual([1, 0]);
    });
    expect(running.platform.logins).toEqual([]);
    expect(await lastSuccess('broken')).toBe(0);

    const before = Date.now() / 1000;
    await running.app.graphql(LOGIN);
    const fetchedAt = (await lastSuccess('nightly')) ?? 0;
    expect(fetchedAt).toBeGreaterThanOrEqual(before);

    running.secrets.become('denied');
    await running.app.graphql(LOGIN);
    expect(await resolved('nightly')).toBe(0);
    expect(await lastSuccess('nightly')).toBe(fetchedAt);
  });

  it('counts and times requests by route and status, and gives made-up routes no label of their own', async () => {
    await running.app.graphql('{ hasSession }');
    await fetch(`${running.app.url}/no/such/CANARY`);
    await fetch(`${running.app.url}/livez`, { method: 'DELETE' });
    const count = 'portico_http_request_duration_seconds_count';
    expect(await sample(`${count}{method="POST",route="/graphql",status="200"}`)).toBeGreaterThan(0);
    expect(await sample(`${count}{method="GET",route="none",status="404"}`)).toBe(1);
    expect(await sample(`${count}{method="other",route="none",status="404"}`)).toBe(1);
    expect(await scrape()).not.toContain('CANARY');
  });

  it('counts GraphQL operations by outcome', async () => {
    await running.app.graphql('{ me { id } CANARY: projects { id } }');
    await running.app.graphql('{ no such field');
    const total = 'portico_graphql_operations_total';
    expect(await sample(`${total}{operation="query",code="UNAUTHENTICATED"}`)).toBe(1);
    expect(await sample(`${total}{operation="none",code="GRAPHQL_PARSE_FAILED"}`)).toBe(1);
    expect(await scrape()).not.toContain('CANARY');
  });

  it('counts the logins that the limiter refuses, by reason, and floods', async () => {
    const refused = (reason: string) => sample(`portico_logins_refused_total{reason="${reason}"}`);
    expect([
      await refused('FAILED_LOGINS'),
      await refused('LOGIN_RATE'),
      await refused('LOGIN_QUEUE'),
    ]).toEqual([0, 0, 0]);
    expect(await sample('portico_login_floods_total')).toBe(0);
    for (let n = 0; n < 12; n += 1) {
      await running.app.graphql(
        'mutation { login(input: {username: "nobody", password: "wrong"}) { handle } }',
      );
    }
    expect(await refused('FAILED_LOGINS')).toBe(2);
  });

  it('counts the stored sessions that were not opened, by reason', async () => {
    const total = (reason: string) => sample(`portico_session_records_refused_total{reason="${reason}"}`);
    expect([await total('unknown_key'), await total('not_authentic')]).toEqual([0, 0]);

    const store = running.app.app.get<SessionStore>(SessionStore);
    const forge = async (change: (sealed: string) => string): Promise<void> => {
      const handle: string = (await running.app.graphql(LOGIN)).data.login.handle;
      const { sealed = '' } = (await store.read(storeKey(handle))) ?? {};
      await store.replace(storeKey(handle), 1, change(sealed));
      for (let asked = 0; asked < 2; asked += 1) {
        const { data } = await running.app.graphql('{ hasSession }', { handle });
        expect(data).toEqual({ hasSession: false });
      }
    };
    await forge((sealed) => sealed.replace('2.', '2.gone-'));
    expect([await total('unknown_key'), await total('not_authentic')]).toEqual([2, 0]);
    await forge((sealed) => `${sealed.slice(0, -4)}AAAA`);
    expect([await total('unknown_key'), await total('not_authentic')]).toEqual([2, 1]);
  });

  it('times the calls to the platform by operation', async () => {
    await running.app.graphql(LOGIN);
    const count = 'portico_platform_call_duration_seconds_count';
    expect(await sample(`${count}{operation="POST auth/login",status="204"}`)).toBeGreaterThan(0);
  });

  it('shows the process: heap, event loop, garbage collection', async () => {
    const text = await scrape();
    for (const name of [
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_gc_duration_seconds',
    ]) {
      expect(text).toContain(`# TYPE ${name} `);
    }
    expect((await fetch(url)).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  it('answers GET /metrics and nothing else', async () => {
    expect((await fetch(new URL('/', url))).status).toBe(404);
    expect((await fetch(new URL('/graphql', url), { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${url}?x`)).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });

  it('is the only place: the public port has no metrics', async () => {
    expect((await fetch(`${running.app.url}/metrics`)).status).toBe(404);
  });
});

describe('metrics', () => {
  it('are not measured unless a port is set', async () => {
    const running = await startApp();
    expect(running.app.get(MetricsModule).url).toBeUndefined();
    await running.close();
  });

  it('keep the service from starting when their port is in use, before the public port is opened', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const folder = await tempFolder();
    const app = await createApp({
      LOG_LEVEL: 'silent',
      SESSION_STORE_PATH: `${folder.path}/sessions.db`,
      METRICS_PORT: String(port),
    });
    await expect(app.listen({ host: '127.0.0.1', port: 0 })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      port,
    });
    expect(app.getHttpServer().listening).toBe(false);
    await app.close();
    holder.close();
    await folder.remove();
  });
});
