import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import {
  type AfterAnswer,
  head,
  type RawAnswerServer,
  startRawAnswerServer,
} from '../../../packages/portico/test/support/embedded-platform/raw-answer-server.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type Answer, bearerHandle } from '../../support/graphql/graphql-caller.js';

const EMPTY = head('HTTP/1.1 204 No Content');
const USER = `${head('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Content-Length: 10')}{"id":"U"}`;
const READ_ROUTE = 'GET sessions/userInfo';
const READ = '{ me { id } }';
const DOCUMENTS = [READ, 'mutation { extend { expiresAt } }', 'mutation { logout { loggedOut } }'];

describe.each(['got', 'undici'])('through the facade, by %s,', (transport) => {
  let platform: RawAnswerServer;
  let app: TestApp;
  /** Reads are answered when so many have come, so that each has a connection of its own. */
  let wantedReads = 0;
  beforeAll(async () => {
    platform = await startRawAnswerServer({
      'POST auth/login': { parts: head('HTTP/1.1 204 No Content', 'X-SVC-AuthToken: abc') },
      'PUT sessions': { parts: EMPTY },
      'POST auth/logout': { parts: EMPTY },
      [READ_ROUTE]: {
        parts: [() => eventually(() => platform.count(READ_ROUTE) >= wantedReads), USER],
      },
      '*': { parts: USER },
    });
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl, PLATFORM_TRANSPORT: transport });
  });
  afterAll(() => app.close());

  it.each<[number, Exclude<AfterAnswer, 'keep'>]>(
    [1, 2, 4, 8].flatMap((count) => [
      [count, 'reset-on-next-use'],
      [count, 'close'],
      [count, 'reset'],
    ]),
  )(
    '%d idle connections, all ended by a %s, fail no read, extension or logout and leave no platform session',
    async (count, how) => {
      const handles = await Promise.all(
        Array.from({ length: count }, () =>
          bearerHandle(app.graphql, { username: 'user', password: 'password' }),
        ),
      );
      const forEach = (document: string): Promise<Answer[]> => {
        wantedReads = platform.count(READ_ROUTE) + count;
        return Promise.all(handles.map((handle) => app.graphql(document, { handle })));
      };
      const before = { extend: platform.count('PUT sessions'), logout: platform.count('POST auth/logout') };

      for (const document of DOCUMENTS) {
        // What is left of the round before is reset when it is used, and is not kept then.
        do await forEach(READ);
        while (platform.openConnections < count);
        platform.treatIdle(how);
        for (const { errors } of await forEach(document)) expect(errors).toBeUndefined();
      }

      expect(platform.count('PUT sessions') - before.extend).toBe(count);
      // Each session that was begun has ended on the platform too.
      expect(platform.count('POST auth/logout') - before.logout).toBe(count);
    },
  );
});
