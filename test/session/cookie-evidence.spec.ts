import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlatformClient } from 'portico/client';
import { storeKey } from '../../src/session/handle.js';
import { type RequestContext } from '../../src/session/request-context.js';
import { type SessionService } from '../../src/session/session.service.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { requestWith, serverKey, sessionService } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';

const TEN_MINUTES = 600_000;
const KEYS = [serverKey('a')] as const;

/** A platform that knows a session only by its token together with a cookie, as behind a balancer with sticky sessions. */
function startStickyPlatform(setCookie: string): Promise<ScriptedPlatform> {
  return startScriptedPlatform({
    'POST auth/login': (_request, response) => {
      response.writeHead(204, { 'x-svc-authtoken': 'token', 'set-cookie': setCookie });
      response.end();
    },
    'POST auth/logout': (_request, response) => {
      response.writeHead(204);
      response.end();
    },
    'GET sessions/userInfo': (request, response) => {
      const isKnown = (request.headers.cookie ?? '').includes('node=1');
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isKnown ? { id: 'alice' } : { code: 'ERR009', message: 'expired' }));
    },
  });
}

describe('an ERR009', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: ScriptedPlatform;
  let store: EmbeddedSessionStore;
  let clients: PlatformClient[];
  beforeEach(async () => {
    folder = await tempFolder();
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, { idleSeconds: 60, maxSeconds: 6000 });
    clients = [];
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await store.close();
    await platform.close();
    await folder.remove();
  });

  const instance = (now: () => number = Date.now): { client: PlatformClient; service: SessionService } => {
    const client = new PlatformClient({ baseUrl: platform.baseUrl, now });
    clients.push(client);
    return { client, service: sessionService(store, client, KEYS) };
  };
  const begin = async ({ client, service }: ReturnType<typeof instance>): Promise<string> => {
    const session = client.openSession();
    await session.login({ username: 'alice', password: 'password' });
    return (await service.create(requestWith(), session, { transport: 'cookie' })).handle;
  };
  const me = (service: SessionService, context: RequestContext): Promise<unknown> =>
    service.read(context, 'getUserInfo', (session, call) => session.getUserInfo(call));

  it.each([
    ['has expired by the clock of an instance that is ahead', 'node=1; Path=/; Max-Age=300', TEN_MINUTES],
    ['has expired by a clock that is an hour ahead', 'node=1; Path=/; Max-Age=1800', 6 * TEN_MINUTES],
  ])('to a request that lacked a cookie ends nothing when the cookie %s', async (_why, setCookie, ahead) => {
    platform = await startStickyPlatform(setCookie);
    const right = instance();
    const handle = await begin(right);
    const late = requestWith(handle, 'cookie');
    await expect(me(instance(() => Date.now() + ahead).service, late)).rejects.toMatchObject({
      code: 'ERR009',
    });
    expect(late.cookie).toBeUndefined();
    expect(await me(right.service, requestWith(handle, 'cookie'))).toMatchObject({ id: 'alice' });
  });

  it.each([
    ['is of a foreign domain', 'node=1; Path=/; Domain=other.example'],
    ['is of another path', 'node=1; Path=/elsewhere'],
    ['is too large', `node=1${'x'.repeat(5000)}; Path=/`],
  ])(
    'to a request that lacked a cookie ends nothing when that was dropped because it %s',
    async (_why, setCookie) => {
      platform = await startStickyPlatform(setCookie);
      const { service, client } = instance();
      const handle = await begin({ service, client });
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const context = requestWith(handle, 'cookie');
        await expect(me(service, context)).rejects.toMatchObject({ code: 'ERR009' });
        expect(context.cookie).toBeUndefined();
      }
      expect(await store.read(storeKey(handle))).toBeDefined();
      expect(await service.isOpen(requestWith(handle, 'cookie'))).toBe(true);
    },
  );

  it('to a request that had every cookie ends the session', async () => {
    platform = await startStickyPlatform('other=1; Path=/');
    const { service, client } = instance();
    const handle = await begin({ service, client });
    const context = requestWith(handle, 'cookie');
    await expect(me(service, context)).rejects.toMatchObject({ code: 'ERR009' });
    expect(context.cookie).toBe('useless');
    expect(await store.read(storeKey(handle))).toBeUndefined();
  });
});
