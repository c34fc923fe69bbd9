import { randomUUID } from 'node:crypto';
import { CredentialProfiles } from 'portico/credentials';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { gate } from '../../../packages/portico/test/support/gate.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { profileYaml } from '../../support/credentials/profile-yaml.js';
import { startProfileApp } from '../../support/credentials/start-profile-app.js';
import { loginAnswer } from '../../../packages/portico/test/support/embedded-platform/platform-answers.js';
import {
  type Script,
  type ScriptedAnswer,
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { createCanaries } from '../../../packages/portico/test/support/secrets/canaries.js';
import { type CollectedSpan } from '../../support/tracing/collected-span.js';
import { type OtlpCollector, startOtlpCollector } from '../../support/tracing/otlp-collector.js';
import { traceTree } from '../../support/tracing/trace-tree.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

describe('a service with OpenTelemetry', () => {
  let collector: OtlpCollector;
  let platform: ScriptedPlatform;
  let app: TestApp | undefined;
  const start = async (script: Script, environment: Record<string, string> = {}): Promise<TestApp> => {
    platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/logout': { status: 204 },
      ...script,
    });
    app = await startApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...environment,
    });
    return app;
  };
  /** Ends the service, which exports what is left, and gives the spans of the trace. */
  const exported = async (): Promise<CollectedSpan[]> => {
    await app?.close();
    app = undefined;
    return collector.spans().filter(({ traceId }) => traceId === TRACE);
  };
  beforeEach(async () => {
    collector = await startOtlpCollector();
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await collector.close();
  });

  it('continues the trace of its caller down to the store and the platform', async () => {
    const { graphql } = await start({ 'GET projects': { status: 200, body: [] } });
    const handle = await bearerHandle(graphql, { username: 'ada', password: 'secret' });
    await graphql('query MyProjects { mine: projects { id } hasSession }', {
      handle,
      headers: { traceparent: TRACEPARENT },
    });

    const spans = await exported();
    expect(traceTree(spans)).toEqual([
      'POST /graphql',
      '  query',
      '    session load',
      '      session store read',
      '    GET projects',
    ]);
    const byName = Object.fromEntries(spans.map((span) => [span.name, span]));
    expect(byName['POST /graphql']).toMatchObject({
      parentSpanId: PARENT,
      kind: 'server',
      service: 'portico',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/graphql',
        'http.response.status_code': 200,
      },
    });
    expect(byName.query?.attributes).toEqual({
      'graphql.operation.type': 'query',
      'portico.graphql.fields': ['projects', 'hasSession'],
    });
    expect(byName['session store read']?.attributes).toEqual({
      'db.system.name': 'sqlite',
      'db.operation.name': 'read',
    });
    expect(byName['GET projects']).toMatchObject({
      kind: 'client',
      hasFailed: false,
      attributes: { 'http.response.status_code': 200 },
    });
  });

  it('shows redirects and the retry as events, and a failure by its kind', async () => {
    const { graphql } = await start({
      'GET projects': [
        { status: 503, body: 'busy' },
        { status: 302, headers: { location: '/api/projects/all' } },
      ],
      'GET projects/all': { status: 403, body: { code: 'ERR014', message: 'not for you' } },
    });
    const handle = await bearerHandle(graphql, { username: 'ada', password: 'secret' });
    await graphql('{ projects { id } }', { handle, headers: { traceparent: TRACEPARENT } });

    const spans = await exported();
    const call = spans.find(({ name }) => name === 'GET projects');
    expect(call).toMatchObject({ hasFailed: true, attributes: { 'http.response.status_code': 403 } });
    expect(call?.events).toEqual([
      {
        name: 'retry',
        attributes: { 'http.response.status_code': 503, 'portico.retry.wait_ms': expect.any(Number) },
      },
      { name: 'redirect', attributes: { 'http.response.status_code': 302 } },
    ]);
    const operation = spans.find(({ name }) => name === 'query projects');
    // A missing privilege is between the user and the platform: no operator has to look.
    expect(operation).toMatchObject({
      hasFailed: false,
      attributes: { 'portico.graphql.error_codes': ['FORBIDDEN'] },
    });
  });

  it.each([
    ['is not told of the trace', {}, undefined],
    ['is sent traceparent where that is set', { OTEL_PROPAGATE_TO_PLATFORM: 'true' }, 'the span of the call'],
  ])('the platform %s', async (_title, environment, expected) => {
    const { graphql } = await start({}, environment);
    const login = 'mutation { login(input: {username: "ada", password: "secret"}) { expiresAt } }';
    await graphql(login, { headers: { traceparent: TRACEPARENT, tracestate: 'vendor=1' } });

    const spans = await exported();
    const [request] = platform.requests;
    const call = spans.find(({ name }) => name === 'POST auth/login');
    expect(request?.headers.traceparent).toBe(
      expected === undefined ? undefined : `00-${TRACE}-${call?.spanId ?? ''}-01`,
    );
    expect(request?.headers.tracestate).toBeUndefined();
  });

  it('exports nothing that a caller or the platform wrote', async () => {
    const canaries = createCanaries();
    const plant = (kind: string): string => canaries.plant(kind);
    const { graphql, url } = await start({
      'GET projects': { status: 200, body: [{ id: plant('ID'), name: plant('NAME') }] },
      'GET sessions': {
        status: 500,
        body: { code: 'ERR002', message: plant('MSG'), ticketId: plant('TKT') },
      },
    });
    const headers = {
      traceparent: TRACEPARENT,
      tracestate: `a=${plant('STATE')}`,
      baggage: `user=${plant('BAG')}`,
      'x-request-id': plant('REQ'),
      'user-agent': plant('UA'),
      'x-forwarded-for': plant('XFF'),
    };
    // Not planted: a user name is no secret, and the audit log has it.
    const username = `user-${randomUUID()}`;
    canaries.watch('user', username);
    const handle = await bearerHandle(graphql, { username, password: plant('PW') });
    canaries.watch('handle', handle);
    const name = plant('OP').replaceAll('-', '_');
    canaries.watch('operation', name);
    await graphql(`query ${name} { ${name}: projects { id name } sessionStatus { id } }`, {
      handle,
      headers,
    });
    await graphql(
      `
        query ($x: ID!) {
          project(id: $x) {
            id
          }
        }
      `,
      {
        handle,
        headers,
        variables: { x: plant('VAR') },
      },
    );
    await graphql(`{ ${plant('FIELD').replaceAll('-', '_')} }`, { headers });
    await graphql(plant('SYNTAX'), { headers });
    await fetch(`${url}/${plant('PATH')}?${plant('QUERY')}=1`, { headers });
    await fetch(`${url}/graphql`, { method: plant('METHOD').slice(0, 20), headers }).catch(() => undefined);
    await graphql('mutation { login(input: {apiKey: "wrong"}) { handle } }', { headers });

    const spans = await exported();
    expect(spans.length).toBeGreaterThan(8);
    expect(canaries.findIn(collector.received())).toEqual([]);
  });

  it('shows the fetches of a profile from a secret store, by the name of the store only', async () => {
    const profiles = profileYaml({ name: 'nightly', key: 'its-key', secretId: 'prod/nightly' });
    const running = await startProfileApp(profiles, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    // What is fetched at the start, in no request, is in no trace.
    const credentials = running.app.app.get(CredentialProfiles);
    await eventually(() => credentials.resolutionOf('nightly')?.succeeded === false);
    const secret = { username: 'demo', password: 'demo', note: 'CANARY-in-the-secret' };
    running.secrets.put('prod/nightly', JSON.stringify(secret));
    await bearerHandle(running.app.graphql, { profile: 'nightly', profileKey: 'its-key' });
    await running.close();

    const spans = collector.spans();
    const login = spans.find(({ name }) => name === 'mutation login');
    const fetches = spans.filter(({ name }) => name === 'secret store secrets_manager');
    expect(fetches).toHaveLength(2);
    for (const { parentSpanId, attributes } of fetches) {
      expect(parentSpanId).toBe(login?.spanId);
      expect(attributes).toEqual({});
    }
    expect(collector.received()).not.toMatch(/CANARY|prod\/nightly/);
  });

  it('ends the span of a caller who hangs up', async () => {
    const asked = gate();
    const held = gate();
    const answerLate: ScriptedAnswer = async (_request, response) => {
      asked.open();
      await held.passed;
      response.writeHead(500).end();
    };
    const { url } = await start({ 'POST auth/login': answerLate }, { OTEL_BSP_SCHEDULE_DELAY: '10' });
    const caller = new AbortController();
    const request = fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: TRACEPARENT },
      body: JSON.stringify({ query: 'mutation { login { expiresAt } }' }),
      signal: caller.signal,
    });
    await asked.passed;
    caller.abort();
    await request.catch(() => undefined);

    const span = await collector.span(({ name }) => name === 'POST /graphql');
    held.open();
    expect(span).toMatchObject({
      hasFailed: true,
      attributes: { 'error.type': 'ClientClosedRequest' },
    });
  });

  it('exports its metrics, those of the process too, without a metrics port', async () => {
    const { graphql } = await start({ 'GET projects': { status: 200, body: [] } });
    const handle = await bearerHandle(graphql, { username: 'ada', password: 'secret' });
    await graphql('{ projects { id } }', { handle });
    await exported();

    const names = collector.metrics().map(({ name }) => String(name?.[0]));
    expect(names).toEqual(
      expect.arrayContaining([
        'portico_http_request_duration_seconds',
        'portico_logins_total',
        'portico_sessions_live',
        'process_resident_memory_bytes',
      ]),
    );
  });

  it('serves as before while the collector is down, and ends in time', async () => {
    await collector.close();
    const { graphql } = await start(
      { 'GET projects': { status: 200, body: [] } },
      { OTEL_EXPORTER_OTLP_TIMEOUT: '500' },
    );
    const handle = await bearerHandle(graphql, { username: 'ada', password: 'secret' });
    expect((await graphql('{ projects { id } }', { handle })).errors).toBeUndefined();

    const begun = performance.now();
    await exported();
    expect(performance.now() - begun).toBeLessThan(15_000);
  });
});
