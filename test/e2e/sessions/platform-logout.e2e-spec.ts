import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import {
  type ScriptedAnswer,
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { type LoggedApp, startLoggedApp } from '../../support/app/logged-app.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';

type Write = Extract<ScriptedAnswer, (...given: never[]) => unknown>;
interface Facts {
  readonly code: string;
  readonly platformCode?: string;
  readonly ticketId?: string;
}

const LOGOUT = 'mutation { logout { loggedOut platformLoggedOut } }';
const CONFIRMED: Write = (_request, response) => {
  response.writeHead(204).end();
};

const json =
  (status: number, body: object): Write =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

describe('a logout, as the platform answers it', () => {
  let platform: ScriptedPlatform;
  let service: LoggedApp;
  let answers: Write[];
  let logins = 0;
  beforeAll(async () => {
    platform = await startScriptedPlatform({
      'POST auth/login': (_request, response) => {
        logins += 1;
        response.writeHead(204, { 'X-SVC-AuthToken': `token${logins}` }).end();
      },
      'POST auth/logout': (request, response) => (answers.shift() ?? CONFIRMED)(request, response),
    });
    service = await startLoggedApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      // One answer never comes, and the others may be late on a busy machine.
      PLATFORM_TIMEOUT_MS: '5000',
    });
  });
  afterEach(() => {
    expect(answers).toEqual([]);
  });
  afterAll(async () => {
    await service.close();
    await platform.close();
  });

  /** Logs in and out. Returns the answer, and reads what was written since. */
  async function logOut(
    ...given: Write[]
  ): Promise<{ payload: unknown; lines: () => Record<string, unknown>[] }> {
    answers = given;
    const handle = await bearerHandle(service.graphql, { username: 'demo', password: 'demo' });
    const before = service.output().length;
    const { data } = await service.graphql(LOGOUT, { handle });
    const lines = (): Record<string, unknown>[] =>
      service
        .output()
        .slice(before)
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    return { payload: data.logout, lines };
  }

  it.each([
    ['204', CONFIRMED],
    ['ERR009: it had ended already', json(401, { code: 'ERR009', message: 'The session has timed out.' })],
    ['ERR009 with 200', json(200, { code: 'ERR009', message: 'The session has timed out.' })],
  ])('says that it is logged out there too on %s', async (_, answer) => {
    const { payload, lines } = await logOut(answer);

    expect(payload).toEqual({ loggedOut: true, platformLoggedOut: true });
    await eventually(() => {
      expect(lines()).toContainEqual(expect.objectContaining({ event: 'logout', outcome: 'success' }));
    });
    expect(lines().filter(({ context }) => context === 'PlatformLogout')).toEqual([]);
  });

  it.each<readonly [string, Write, Facts, string]>([
    [
      '500 with a ticket',
      json(500, { code: 'ERR002', message: 'Not now.', ticketId: 'abc-123' }),
      { code: 'BACKEND_ERROR', platformCode: 'ERR002', ticketId: 'abc-123' },
      'BackendServerError (HTTP 500, ERR002, ticket abc-123)',
    ],
    ['200', json(200, {}), { code: 'UPSTREAM_PROTOCOL' }, 'PlatformHttpError (HTTP 200)'],
    [
      'a page with 503',
      (_request, response) => {
        response.writeHead(503, { 'content-type': 'text/html' }).end('<html></html>');
      },
      { code: 'UPSTREAM_PROTOCOL' },
      'PlatformHttpError (HTTP 503)',
    ],
    ['no answer in time', () => undefined, { code: 'UPSTREAM_TIMEOUT' }, 'PlatformTimeoutError'],
    [
      '403 with a ticket',
      json(403, { code: 'ERR014', message: 'No.', ticketId: 'T7' }),
      { code: 'FORBIDDEN', platformCode: 'ERR014', ticketId: 'T7' },
      'InsufficientPrivilegesError (HTTP 403, ERR014, ticket T7)',
    ],
    ['202', json(202, {}), { code: 'UPSTREAM_PROTOCOL' }, 'PlatformHttpError (HTTP 202)'],
  ])('says that it may live on there after %s, and tries again', async (_, failing, facts, reason) => {
    const { payload, lines } = await logOut(failing, CONFIRMED);

    expect(payload).toEqual({ loggedOut: true, platformLoggedOut: false });
    await eventually(() => {
      const audited = lines().filter(({ event }) => event === 'logout');
      expect(audited).toEqual([
        expect.objectContaining({ outcome: 'failure', ...facts }),
        expect.objectContaining({ outcome: 'success' }),
      ]);
      expect(audited[0]?.session).toBe(audited[1]?.session);
      const logged = lines().filter(({ context }) => context === 'PlatformLogout');
      expect(logged.map(({ msg }) => msg)).toEqual([
        `A platform session could not be logged out, which is tried again: ${reason}`,
        'A platform session was logged out by attempt 2',
      ]);
    });
    expect(service.output()).not.toMatch(/token\d/);
  });
});
