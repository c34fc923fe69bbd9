import { afterAll, describe, expect, it } from 'vitest';
import {
  AmbiguousProjectNameError,
  AuthenticatedPlatformSession,
  BackendServerError,
  InsufficientPrivilegesError,
  LoginFailedError,
  PlatformClient,
  PlatformError,
  PlatformSession,
  SessionError,
} from '../../src/client/index.js';
import { startPlatform } from '../support/embedded-platform/start-platform.js';
import { describeJourney } from './platform-journey.conformance.js';

const platform = await startPlatform();
const demo = {
  baseUrl: platform.baseUrl,
  vendor: 'SVC',
  username: 'demo',
  password: 'demo',
  apiKey: 'demo-api-key',
  anonymous: true,
};
afterAll(() => platform.close());

describeJourney('the embedded platform, by got', demo);
describeJourney('the embedded platform, by undici', demo, { transport: 'undici' });

const vendored = await startPlatform({ vendor: 'MSTR', path: '/MicroStrategyLibrary/api' });
afterAll(() => vendored.close());
describeJourney('an embedded platform of another vendor and path', {
  ...demo,
  baseUrl: vendored.baseUrl,
  vendor: 'MSTR',
});

const { PLATFORM_BASE_URL, PLATFORM_HEADER_VENDOR, PLATFORM_USERNAME, PLATFORM_PASSWORD } = process.env;
if (PLATFORM_BASE_URL && PLATFORM_USERNAME && PLATFORM_PASSWORD !== undefined) {
  describeJourney('the platform of PLATFORM_BASE_URL', {
    baseUrl: PLATFORM_BASE_URL,
    vendor: PLATFORM_HEADER_VENDOR ?? 'SVC',
    username: PLATFORM_USERNAME,
    password: PLATFORM_PASSWORD,
    apiKey: process.env.PLATFORM_API_KEY,
    anonymous: process.env.PLATFORM_ANONYMOUS === 'true',
  });
} else {
  describe('the client on a real platform', () => {
    it.skip('(skipped without PLATFORM_BASE_URL, PLATFORM_USERNAME and PLATFORM_PASSWORD)', () => undefined);
  });
}

describe('the client meets', () => {
  const client = new PlatformClient({ baseUrl: platform.baseUrl });
  afterAll(() => client.close());
  const loginAs = async (username: string): Promise<PlatformSession> => {
    const session = client.openSession();
    await session.login({ username, password: 'demo' });
    return session;
  };

  it.each([
    ['expired-password', LoginFailedError, 'password has expired'],
    ['locked', LoginFailedError, 'locked'],
    ['disabled', LoginFailedError, 'disabled'],
  ])('a login as %s', async (username, kind, advice) => {
    await expect(loginAs(username)).rejects.toMatchObject({
      constructor: kind,
      code: 'ERR003',
      iserverMessage: expect.stringContaining(advice),
      ticketId: expect.stringMatching(/^\w+$/),
    });
  });

  it.each([
    ['no-privileges', InsufficientPrivilegesError, 'privilege'],
    ['backend-down', BackendServerError, undefined],
  ])('the projects of %s', async (username, kind, advice) => {
    const session = await loginAs(username);

    const error = await session.getProjects().catch((failure: unknown) => failure);

    expect(error).toMatchObject({ constructor: kind });
    if (advice !== undefined) expect(error).toHaveProperty('iserverMessage', expect.stringContaining(advice));
  });

  it('a user with too many sessions, at the first call within a project', async () => {
    const session = await loginAs('session-limit');
    const [project] = await session.getProjects();

    await expect(session.request('GET', 'sessions', { projectId: project?.id })).rejects.toMatchObject({
      constructor: PlatformError,
      code: 'ERR001',
      iserverMessage: expect.stringContaining('too many sessions'),
    });
  });

  it('a platform that fails every third call, and still reads', async () => {
    const session = await loginAs('flaky');

    for (let call = 0; call < 6; call += 1) await session.getProjects();

    expect(session.hasSession()).toBe(true);
  });

  it('5,000 projects', async () => {
    const session = await loginAs('many-projects');

    await expect(session.getProjects()).resolves.toHaveLength(5000);
  });

  it('two projects with one name', async () => {
    const session = await loginAs('twin-projects');
    await session.loadProjects();
    const names = (await session.getProjects()).map(({ name }) => name);
    const twin = names.find((name, index) => names.indexOf(name) !== index) ?? '';

    expect(() => session.getProjectId(twin)).toThrow(AmbiguousProjectNameError);
  });

  it('a session that has timed out, and keeps its state', async () => {
    const session = await loginAs('short-session');
    platform.clock.advance(6000);

    await expect(session.getProjects()).rejects.toMatchObject({ constructor: SessionError, code: 'ERR009' });
    expect(session.hasSession()).toBe(true);
  });

  it('a session that has timed out, and logs in again with relogin', async () => {
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      username: 'short-session',
      password: () => 'demo',
      relogin: true,
    });
    platform.clock.advance(6000);

    await expect(session.getProjects()).resolves.not.toEqual([]);
  });

  it('an identity token that was used or has expired', async () => {
    const session = await loginAs('demo');
    const mint = async (): Promise<string> =>
      (await session.request('POST', 'auth/identityToken')).header('X-SVC-IdentityToken') ?? '';
    const [used, old] = [await mint(), await mint()];
    await client.openSession().delegate(used);
    platform.clock.advance(61_000);

    await expect(client.openSession().delegate(used)).rejects.toThrow(LoginFailedError);
    await expect(client.openSession().delegate(old)).rejects.toThrow(LoginFailedError);
  });

  it('a platform on its own, without a client object', async () => {
    await using session = new PlatformSession(platform.baseUrl);

    await session.login({ apiKey: 'demo-api-key' });

    await expect(session.getUserInfo()).resolves.toHaveProperty('fullName', 'Dana Demo');
  });
});
