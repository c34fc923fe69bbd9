import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import {
  type RenewingPlatform,
  startRenewingPlatform,
} from '../../../packages/portico/test/support/embedded-platform/renewing-platform.js';

const DOCUMENT = '{ me { id } sessionStatus { id } projects { id } }';
const DATA = { me: { id: 'alice' }, sessionStatus: { id: 'alice' }, projects: [{ id: 'alice' }] };
const LOGIN =
  'mutation { login(input: { username: "alice", password: "password", transport: COOKIE }) { expiresAt } }';

describe('a session that the platform renews with an answer', () => {
  let platform: RenewingPlatform;
  let app: TestApp;
  const start = async (...of: Parameters<typeof startRenewingPlatform>): Promise<void> => {
    platform = await startRenewingPlatform(...of);
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
  };
  afterEach(async () => {
    await app.close();
    await platform.close();
  });

  /** The headers of a caller who has logged in. */
  const logIn = async (transport: 'bearer' | 'cookie'): Promise<Record<string, string>> => {
    if (transport === 'bearer') {
      const handle = await bearerHandle(app.graphql, { username: 'alice', password: 'password' });
      return { authorization: `Bearer ${handle}` };
    }
    const cookie = (await app.graphql(LOGIN)).headers.getSetCookie()[0] ?? '';
    return { cookie: cookie.split(';')[0] ?? '' };
  };

  it.each([
    ['token', 'bearer', 'one document', 1],
    ['token', 'cookie', 'parallel requests', 5],
    ['cookie', 'bearer', 'parallel requests', 5],
    ['cookie', 'cookie', 'one document', 1],
  ] as const)(
    'is not lost: a new %s, a handle by %s, %s',
    async (renewal, transport, _requests, requests) => {
      await start(renewal);
      const headers = await logIn(transport);
      platform.renewNext(() => platform.rejections() >= 2);

      const answers = await Promise.all(
        Array.from({ length: requests }, () => app.graphql(DOCUMENT, { headers })),
      );

      for (const { errors, data, headers: sent } of answers) {
        expect(errors).toBeUndefined();
        expect(data).toEqual(DATA);
        expect(sent.getSetCookie()).toEqual([]);
      }
      expect((await app.graphql('{ hasSession me { id } }', { headers })).data).toEqual({
        hasSession: true,
        me: DATA.me,
      });
      expect(platform.openSessions()).toBe(1);
    },
  );

  it('ends, with its cookie, when the platform rejects it by ERR003', async () => {
    await start('token', 'ERR003');
    const headers = await logIn('cookie');
    platform.endSessions();

    const { errors, headers: sent } = await app.graphql(DOCUMENT, { headers });

    expect(errors?.map(({ extensions }) => [extensions.code, extensions.reason])).toEqual(
      Array(3).fill(['UNAUTHENTICATED', 'SESSION_EXPIRED']),
    );
    expect(sent.getSetCookie()[0]).toMatch(/^[^=]+=;.*Expires=Thu, 01 Jan 1970/);
    expect((await app.graphql('{ hasSession }', { headers })).data).toEqual({ hasSession: false });
  });
});
