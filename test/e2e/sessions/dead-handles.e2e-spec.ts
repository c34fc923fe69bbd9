import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newHandle } from '../../../src/session/handle.js';
import { SessionStore } from '../../../src/session/store/session-store.js';
import { ageRedis } from '../../support/session/age-redis.js';
import { type Answer } from '../../support/graphql/graphql-caller.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';

const suite = redisMissing === undefined ? describe : describe.skip;
const COOKIE = '__Host-portico';
const IDLE_SECONDS = 60;
/** What differs from answer to answer, whatever it says. */
const OWN_HEADERS = ['date', 'x-request-id'];

type Transport = 'BEARER' | 'COOKIE';

suite(`a handle that opens nothing (${redisMissing ?? 'over a redis-server that the test owns'})`, () => {
  let redis: RunningRedis;
  let app: TestApp;
  beforeAll(async () => {
    redis = await startRedis();
    app = await startApp({
      SESSION_STORE: 'redis',
      REDIS_URL: redis.url,
      SESSION_KEYS: sessionKeysSetting(),
      SESSION_IDLE_SECONDS: String(IDLE_SECONDS),
    });
  });
  afterAll(async () => {
    await app.close();
    await redis.close();
  });

  const ask = (transport: Transport, handle: string, query: string): Promise<Answer> =>
    app.graphql(
      query,
      transport === 'BEARER'
        ? { handle }
        : { headers: { cookie: `${COOKIE}=${handle}`, 'sec-fetch-site': 'same-origin' } },
    );
  async function logIn(transport: Transport): Promise<string> {
    const { data, headers } = await app.graphql(
      `mutation { login(input: { username: "demo", password: "demo", transport: ${transport} }) { handle } }`,
    );
    const handle: unknown = data.login.handle ?? headers.getSetCookie()[0]?.split(/[=;]/)[1];
    return String(handle);
  }
  /** All that a caller sees, without what is each answer's own. */
  function bytesOf({ status, headers, text }: Answer): unknown {
    const id = headers.get('x-request-id') ?? '';
    expect(id).not.toBe('');
    const others = [...headers].filter(([name]) => !OWN_HEADERS.includes(name));
    return { status, headers: others, text: text.replaceAll(id, '') };
  }

  it.each(['BEARER', 'COOKIE'] as const)(
    'is answered alike over %s, be it unknown, expired, revoked, or of the other transport',
    async (transport) => {
      const expired = await logIn(transport);
      await ageRedis(redis.admin, IDLE_SECONDS * 1000);
      const revoked = await logIn(transport);
      await ask(transport, revoked, 'mutation { logout { loggedOut } }');
      const foreign = await logIn(transport === 'BEARER' ? 'COOKIE' : 'BEARER');

      for (const query of [
        '{ hasSession }',
        '{ me { id } projects { id } }',
        'mutation { extend { expiresAt } }',
        'mutation { logout { loggedOut } }',
      ]) {
        const unknown = bytesOf(await ask(transport, newHandle(), query));
        for (const handle of [expired, revoked, foreign])
          expect(bytesOf(await ask(transport, handle, query))).toEqual(unknown);
      }
    },
  );

  it.each([
    ['a letter short', newHandle().slice(1)],
    ['a letter long', `${newHandle()}A`],
    ['of other letters', `${newHandle().slice(0, -1)}.`],
    ['with bits that no handle has', `${newHandle().slice(0, -1)}B`],
    ['an object’s own name', '__proto__'],
    ['very long', 'A'.repeat(4000)],
  ])('never reaches the store when it is malformed: %s', async (_what, handle) => {
    const read = vi.spyOn(app.app.get<SessionStore>(SessionStore), 'read');
    try {
      for (const transport of ['BEARER', 'COOKIE'] as const)
        expect((await ask(transport, handle, '{ hasSession me { id } }')).data.hasSession).toBe(false);
      expect(read).not.toHaveBeenCalled();
      await ask('BEARER', newHandle(), '{ hasSession }');
      expect(read).toHaveBeenCalledTimes(1);
    } finally {
      read.mockRestore();
    }
  });
});
