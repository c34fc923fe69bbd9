import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, bearerHandle } from '../../support/graphql/graphql-caller.js';
import { profileYaml } from '../../support/credentials/profile-yaml.js';
import { type ProfileApp, startProfileApp } from '../../support/credentials/start-profile-app.js';

const KEY = 'the-key-of-the-profile';
const PROFILES = profileYaml({ name: 'nightly', key: KEY }, { name: 'cached', key: KEY, ttlSeconds: 3600 });
const IDLE_MS = 1_800_000;
const PAGE = '{ projects { id name } }';

describe('a session that a profile opened', () => {
  let running: ProfileApp;
  const rotate = (password: string): void => {
    running.platform.changePassword(password);
    running.secrets.put('portico', JSON.stringify({ username: 'demo', password }));
  };
  const expire = (): void => {
    running.platform.clock.advance(IDLE_MS);
  };
  const open = (profile = 'nightly'): Promise<string> =>
    bearerHandle(running.app.graphql, { profile, profileKey: KEY });
  const load = (handle: string): Promise<Answer> => running.app.graphql(PAGE, { handle });

  beforeEach(async () => {
    running = await startProfileApp(PROFILES);
    rotate('first');
  });
  afterEach(() => running.close());

  it('is logged in again when the platform no longer knows it, unnoticed by the request', async () => {
    const handle = await open();
    expire();
    const { data, errors } = await load(handle);
    expect(errors).toBeUndefined();
    expect(data.projects.length).toBeGreaterThan(3);
    expect(running.platform.logins).toEqual([204, 204]);
    expect(running.platform.calls('GET projects')).toBe(2);

    await load(handle);
    expect(running.platform.calls('GET projects')).toBe(3);
    expect(running.platform.logins).toEqual([204, 204]);
  });

  it('recovers within one request after its secret was rotated: 10 operations that find it expired, one login', async () => {
    const handle = await open();
    const fetched = running.secrets.fetches;
    rotate('second');
    expire();
    // Reads of one kind are shared by the requests, so three kinds find it expired.
    const reads = ['GET projects', 'GET sessions', 'GET sessions/userInfo'];
    const counts = (): number[] => reads.map((operation) => running.platform.calls(operation));
    running.platform.holdLogins(() => counts().every((count) => count === 1));
    const page = '{ me { id } sessionStatus { id } projects { id } }';
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => running.app.graphql(page, { handle })),
    );
    expect(answers.map(({ errors }) => errors)).toEqual(Array(10).fill(undefined));
    expect(running.platform.logins).toEqual([204, 204]);
    expect(running.secrets.fetches - fetched).toBe(1);
    expect(counts()).toEqual([2, 2, 2]);
  });

  it('logs in once for all fields of a request', async () => {
    const handle = await open();
    expire();
    const { data, errors } = await running.app.graphql(
      '{ me { fullName } sessionStatus { timeoutSeconds } projects { id } }',
      { handle },
    );
    expect(errors).toBeUndefined();
    expect(data.me.fullName).toBe('Dana Demo');
    expect(running.platform.logins).toEqual([204, 204]);
  });

  it('is extended even when the extension finds it expired', async () => {
    const handle = await open();
    expire();
    const { errors } = await running.app.graphql('mutation { extend { sessionStatus { timeoutSeconds } } }', {
      handle,
    });
    expect(errors).toBeUndefined();
    expect(running.platform.logins).toEqual([204, 204]);
  });

  it('survives one expiry after another under the same handle', async () => {
    const handle = await open();
    for (let expiries = 1; expiries <= 3; expiries += 1) {
      expire();
      expect((await load(handle)).errors).toBeUndefined();
      expect(running.platform.logins).toHaveLength(1 + expiries);
    }
  });

  it('has its kept secret fetched once more when it is refused, and tries again if it has changed', async () => {
    const handle = await open('cached');
    rotate('second');
    expire();
    expect((await load(handle)).errors).toBeUndefined();
    expect(running.platform.logins).toEqual([204, 401, 204]);
    expect(running.secrets.fetches).toBe(2);
  });

  it('gives up with the error, without another try, when the secret is still the same', async () => {
    const handle = await open();
    running.platform.changePassword('one that the store does not have yet');
    expire();
    const { data, errors } = await load(handle);
    expect(data).toEqual({ projects: null });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'LOGIN_FAILED' });
    expect(running.platform.logins).toEqual([204, 401]);
    expect(running.secrets.fetches).toBe(3);

    const later = await load(handle);
    expect(later.errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'NO_SESSION' });
    expect(running.platform.logins).toEqual([204, 401]);
  });

  it('is kept while its secret cannot be loaded, and works again once it can', async () => {
    const handle = await open();
    expire();
    running.secrets.become('throttled');
    const { errors } = await load(handle);
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'CREDENTIAL_UNAVAILABLE',
      reason: 'SECRET_THROTTLED',
      retryable: true,
    });
    running.secrets.become('ready');
    expect((await load(handle)).errors).toBeUndefined();
    expect(running.platform.logins).toEqual([204, 204]);
  });

  it('is never logged in again only to be logged out', async () => {
    const handle = await open();
    expire();
    const { data } = await running.app.graphql('mutation { logout { loggedOut } }', { handle });
    expect(data.logout).toEqual({ loggedOut: true });
    expect(running.platform.logins).toEqual([204]);
    expect((await load(handle)).errors?.[0]?.extensions).toMatchObject({ reason: 'NO_SESSION' });
  });

  it("is the only kind: a user's own session is never logged in again", async () => {
    const handle = await bearerHandle(running.app.graphql, { username: 'demo', password: 'first' });
    expire();
    const { errors } = await load(handle);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'SESSION_EXPIRED' });
    expect(running.platform.logins).toEqual([204]);
    expect(running.secrets.fetches).toBe(0);
  });
});
