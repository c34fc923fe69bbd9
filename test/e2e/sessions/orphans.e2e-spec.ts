import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PlatformClient, type PlatformSession } from 'portico/client';
import { SessionStore } from '../../../src/session/store/session-store.js';
import { mintIdentityToken } from '../../support/embedded-platform/identity-token.js';
import { profileYaml } from '../../support/credentials/profile-yaml.js';
import { type ProfileApp, startProfileApp } from '../../support/credentials/start-profile-app.js';
import { storeUnavailable } from '../../../src/errors/service-error.js';

const KEY = 'the-key-of-the-profile';

describe('a platform session that the store does not accept', () => {
  let running: ProfileApp;
  let store: SessionStore;
  /** Every platform session that the service has begun since the last test. */
  let begun: PlatformSession[];
  beforeAll(async () => {
    running = await startProfileApp(profileYaml({ name: 'nightly', key: KEY }));
    running.secrets.put('portico', JSON.stringify({ username: 'demo', password: 'demo' }));
    store = running.app.app.get<SessionStore>(SessionStore);
    const client = running.app.app.get(PlatformClient);
    const openSession = client.openSession.bind(client);
    vi.spyOn(client, 'openSession').mockImplementation(() => {
      const session = openSession();
      begun.push(session);
      return session;
    });
    begun = [];
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await running.close();
  });

  /** Runs while the store refuses one kind of write. */
  async function without(write: 'create' | 'replace', work: () => Promise<void>): Promise<void> {
    begun = [];
    const refuse = (): Promise<never> => Promise.reject(storeUnavailable('down'));
    const refusing = vi.spyOn(store, write).mockImplementation(refuse);
    try {
      await work();
    } finally {
      refusing.mockRestore();
    }
  }
  const codeOf = async (query: string, handle?: string): Promise<unknown> =>
    (await running.app.graphql(query, { ...(handle !== undefined && { handle }) })).errors?.[0]?.extensions
      .code;
  const logIn = async (): Promise<string> => {
    const { data } = await running.app.graphql(
      `mutation { login(input: {profile: "nightly", profileKey: "${KEY}", transport: BEARER}) { handle } }`,
    );
    return data.login.handle as string;
  };

  it.each([
    ['a login', () => 'login(input: {username: "demo", password: "demo"}) { handle }'],
    ['an anonymous login', () => 'login { handle }'],
    ['a login by profile', () => `login(input: {profile: "nightly", profileKey: "${KEY}"}) { handle }`],
    [
      'a delegation',
      async () =>
        `delegate(input: {identityToken: "${await mintIdentityToken(running.platform.baseUrl)}"}) { handle }`,
    ],
  ])('is logged out again after %s', async (_what, mutation) => {
    const query = `mutation { ${await mutation()} }`;
    const logouts = running.platform.calls('POST auth/logout');
    await without('create', async () => {
      expect(await codeOf(query)).toBe('SESSION_STORE_UNAVAILABLE');
    });
    expect(begun).toHaveLength(1);
    expect(running.platform.calls('POST auth/logout')).toBe(logouts + 1);
    // A logout that the platform has answered takes the token out of the session.
    expect(begun[0]?.toDict().headers).toEqual({});
  });

  it.each(['{ projects { id } }', 'mutation { extend { expiresAt } }'])(
    'is logged out again after the new login of a profile, which %s has brought about',
    async (query) => {
      const handle = await logIn();
      running.platform.clock.advance(3_600_000);
      const logouts = running.platform.calls('POST auth/logout');
      await without('replace', async () => {
        expect(await codeOf(query, handle)).toBe('SESSION_STORE_UNAVAILABLE');
      });
      expect(running.platform.calls('POST auth/logout')).toBe(logouts + 1);
      expect(await codeOf(query, handle)).toBeUndefined();
    },
  );
});
