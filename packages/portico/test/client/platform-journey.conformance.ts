import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LoginFailedError,
  PlatformClient,
  ResourceNotFoundError,
  SessionError,
  type PlatformClientOptions,
  type PlatformSession,
} from '../../src/client/index.js';

/** A platform to use the client against, and the ways in that it offers. */
export interface PlatformToTravel {
  readonly baseUrl: string;
  readonly vendor: string;
  readonly username: string;
  readonly password: string;
  /** Without one, the login by API key is skipped by name. */
  readonly apiKey?: string | undefined;
  /** Where guests may not log in, the anonymous login is skipped by name. */
  readonly anonymous: boolean;
}

/** What a program does with the client, on any platform. Only reads, and opens sessions that it ends again. */
export function describeJourney(
  name: string,
  platform: PlatformToTravel,
  options: Partial<PlatformClientOptions> = {},
): void {
  const { baseUrl, vendor, username, password, apiKey, anonymous } = platform;

  describe(`the client on ${name}`, () => {
    const client = new PlatformClient({ baseUrl, vendor, ...options });
    let session: PlatformSession;
    beforeAll(async () => {
      session = client.openSession();
      await session.login({ username, password });
    });
    afterAll(async () => {
      await session.logout();
      await client.close();
    });

    const loginBy = async (credentials: Parameters<PlatformSession['login']>[0]): Promise<void> => {
      const other = client.openSession();
      await other.login(credentials);
      await other.getSessionInfo();
      await other.logout();
      expect(other.hasSession()).toBe(false);
    };

    it('logs in by user name and password, and out', async () => {
      await loginBy({ username, password });
    });
    (apiKey === undefined ? it.skip : it)(
      `logs in by API key${apiKey === undefined ? ' (skipped: none is given)' : ''}, and out`,
      async () => {
        await loginBy({ apiKey });
      },
    );
    (anonymous ? it : it.skip)(
      `logs in as a guest${anonymous ? '' : ' (skipped: guests may not log in)'}, and out`,
      async () => {
        await loginBy({});
      },
    );

    it('receives a login error for a wrong password', async () => {
      const refused = client.openSession();

      await expect(refused.login({ username, password: `${password}-not` })).rejects.toThrow(
        LoginFailedError,
      );
      expect(refused.hasSession()).toBe(false);
    });

    it('reads user, session and projects, and extends the session', async () => {
      const [user, info, projects] = await Promise.all([
        session.getUserInfo(),
        session.getSessionInfo(),
        session.getProjects(),
      ]);
      const extended = await session.extendSession();

      expect(typeof user.fullName).toBe('string');
      expect(info.timeout).toBeGreaterThan(0);
      expect(Array.isArray(projects)).toBe(true);
      expect(extended.status).toBe(204);
    });

    it('finds each project by its name and by its id', async () => {
      await session.loadProjects();
      const projects = await session.getProjects();
      const names = projects.map(({ name: each }) => each);

      for (const project of projects) {
        expect(session.getProject(project.id)).toEqual(project);
        if (names.indexOf(project.name) === names.lastIndexOf(project.name)) {
          expect(session.getProjectId(project.name)).toBe(project.id);
        }
      }
      expect(session.getProjectId('no project has this name')).toBeUndefined();
    });

    it('continues from a snapshot, needs its cookies, and finds it invalid after the logout', async () => {
      const first = client.openSession();
      await first.login({ username, password });
      const saved = first.toDict();

      const restored = client.restoreSession(JSON.stringify(saved));
      await restored.getSessionInfo();
      const bare = client.restoreSession({ ...saved, cookies: [] });
      await expect(bare.getSessionInfo()).rejects.toThrow(SessionError);
      await restored.logout();

      await expect(first.getSessionInfo()).rejects.toMatchObject({
        constructor: SessionError,
        code: 'ERR009',
      });
      expect(first.hasSession()).toBe(true);
    });

    it('sends a token only where needed: the session needs one, the status does not', async () => {
      await session.request('GET', 'status', { includeAuth: false });

      await expect(session.request('GET', 'sessions', { includeAuth: false })).rejects.toThrow(SessionError);
    });

    it('sends a project id with one call', async () => {
      const [project] = await session.getProjects();

      await expect(session.request('GET', 'sessions', { projectId: project?.id })).resolves.toHaveProperty(
        'status',
        200,
      );
    });

    it('receives a not-found error for a missing resource', async () => {
      await expect(session.request('GET', 'hello/dave')).rejects.toMatchObject({
        constructor: ResourceNotFoundError,
        code: 'ERR004',
      });
    });

    it('delegates its identity to another session', async () => {
      const minted = await session.request('POST', 'auth/identityToken');
      const token = minted.header(`X-${vendor}-IdentityToken`) ?? '';
      const delegate = client.openSession();

      await delegate.delegate(token);

      await expect(delegate.getUserInfo()).resolves.toEqual(await session.getUserInfo());
    });
  });
}
