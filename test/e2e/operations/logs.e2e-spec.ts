import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoggedApp, startLoggedApp } from '../../support/app/logged-app.js';
import {
  errorAnswer,
  loginAnswer,
} from '../../../packages/portico/test/support/embedded-platform/platform-answers.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { type Answer, bearerHandle } from '../../support/graphql/graphql-caller.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const LEVELS = { info: 30, warn: 40 } as const;
const WRONG = 'mutation SignIn { login(input: {username: "eve", password: "wrong"}) { expiresAt } }';

describe('at LOG_LEVEL=info', () => {
  let platform: ScriptedPlatform;
  let service: LoggedApp;
  beforeAll(async () => {
    platform = await startScriptedPlatform({
      'POST auth/login': [
        loginAnswer(),
        errorAnswer(401, 'ERR003', 'Login failure'),
        errorAnswer(401, 'ERR003', 'Login failure'),
      ],
      'GET projects': errorAnswer(403, 'ERR014', 'not for you'),
      'GET sessions': { status: 500, headers: { 'content-type': 'text/html' }, body: '<p>Oops</p>' },
    });
    service = await startLoggedApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      LOG_LEVEL: 'info',
      AUDIT_LOG: 'off',
      LOGIN_FAILURES_PER_MINUTE: '2',
    });
  });
  afterAll(() => service.close());

  /** The line of the log that tells of the error of an answer. */
  const lineOf = ({ headers }: Answer): Record<string, unknown> | undefined =>
    service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{"level"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find(
        ({ msg, requestId }) => msg === 'answered with an error' && requestId === headers.get('x-request-id'),
      );

  it('an error of the platform has its codes, its ticket, the operation, and the ids of request and trace', async () => {
    const handle = await bearerHandle(service.graphql, { username: 'ada', password: 'secret' });
    const answer = await service.graphql(`query ${'Long'.repeat(50)} { projects { id } }`, {
      handle,
      headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
    });

    expect(lineOf(answer)).toEqual({
      level: LEVELS.info,
      time: expect.any(Number),
      requestId: answer.headers.get('x-request-id'),
      traceId: TRACE,
      context: 'GraphQL',
      code: 'FORBIDDEN',
      platformCode: 'ERR014',
      platformStatus: 403,
      ticketId: '0123456789abcdef0123456789abcdef',
      operation: 'query',
      operationName: 'Long'.repeat(16),
      errors: 1,
      msg: 'answered with an error',
    });
    const page = await service.graphql('{ projects { id } sessionStatus { id } }', { handle });
    expect(lineOf(page)).toMatchObject({
      level: LEVELS.warn,
      code: 'UPSTREAM_PROTOCOL',
      platformStatus: 500,
      errors: 2,
    });
  });

  it('failed logins, the refusals of the limiter, and mistakes each leave a line', async () => {
    const failed = await service.graphql(WRONG);
    expect(lineOf(failed)).toMatchObject({
      level: LEVELS.info,
      code: 'UNAUTHENTICATED',
      reason: 'LOGIN_FAILED',
      platformCode: 'ERR003',
      operation: 'mutation',
      operationName: 'SignIn',
    });
    await service.graphql(WRONG);
    const refused = await service.graphql(WRONG);
    expect(lineOf(refused)).toMatchObject({ level: LEVELS.warn, code: 'RATE_LIMITED' });
    const unreadable = await service.graphql('{');
    expect(lineOf(unreadable)).toMatchObject({
      level: LEVELS.info,
      code: 'GRAPHQL_PARSE_FAILED',
      operation: 'none',
    });
  });

  it('an outage of the platform leaves a line for each caller affected', async () => {
    await platform.close();
    const answer = await service.graphql('mutation { login { expiresAt } }');

    expect(lineOf(answer)).toMatchObject({
      level: LEVELS.warn,
      code: 'UPSTREAM_UNAVAILABLE',
      reason: 'CONNECT',
    });
  });
});
