import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openOperatorSocket } from '../../../src/app/operator-socket.js';
import { SessionStore } from '../../../src/session/store/session-store.js';
import { runNode } from '../../../packages/portico/test/support/app/run-node.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type LoggedApp, startLoggedApp } from '../../support/app/logged-app.js';
import { type CommandRun, runCommandHere } from '../../support/app/run-command.js';
import { runService, stopServices } from '../../support/app/run-service.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';
import { bearerHandleAtLast } from '../../support/graphql/graphql-caller.js';
import { ageRedis } from '../../support/session/age-redis.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { redisMissing, type RunningRedis, startRedis } from '../../support/session/start-redis.js';
import { tempFolder } from '../../support/temp-folder.js';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const KINDS = redisMissing === undefined ? (['embedded', 'redis'] as const) : (['embedded'] as const);
const LOGOUT_EVERYWHERE = 'mutation { logout(everywhere: true) { loggedOut platformLoggedOut } }';

interface AuditLine {
  readonly event: string;
  readonly account?: string;
  readonly session?: string;
  readonly cause?: string;
  readonly outcome: string;
}

describe.each(KINDS)('the sessions in the %s store, for their operator', (kind) => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: UserPlatform;
  let redis: RunningRedis | undefined;
  let environment: Record<string, string>;
  let service: LoggedApp;
  beforeAll(async () => {
    folder = await tempFolder();
    platform = await startUserPlatform();
    redis = kind === 'redis' ? await startRedis() : undefined;
    environment = {
      PLATFORM_BASE_URL: platform.baseUrl,
      PLATFORM_TIMEOUT_MS: '60000',
      SESSIONS_MAX_PER_ACCOUNT: '3',
      SESSION_STORE: kind,
      SESSION_STORE_PATH: `${folder.path}/sessions.db`,
      SESSION_KEYS: sessionKeysSetting(),
      ...(redis && { REDIS_URL: redis.url }),
    };
    service = await start();
  });
  afterEach(async () => {
    for (const handle of handles.splice(0)) await service.graphql(LOGOUT_EVERYWHERE, { handle });
    await eventually(() => platform.openSessions() === 0);
  });
  afterAll(async () => {
    await service.close();
    await platform.close();
    await redis?.close();
    await folder.remove();
  });

  /** With the socket beside the file of the embedded store, as a process of the service opens it. */
  const start = async (more: Record<string, string> = {}): Promise<LoggedApp> => {
    const app = await startLoggedApp({ ...environment, ...more });
    if (kind === 'redis') return app;
    const store = app.app.get<SessionStore>(SessionStore, { strict: false });
    const closeSocket = await openOperatorSocket(environment.SESSION_STORE_PATH ?? '', store);
    return {
      ...app,
      close: async () => {
        await closeSocket?.();
        await app.close();
      },
    };
  };
  const command = (...args: string[]): Promise<CommandRun> =>
    runCommandHere(['sessions', ...args], folder.path, environment);
  const list = async (...args: string[]): Promise<Record<string, string>[]> => {
    const { code, stdout, stderr } = await command('list', '--json', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, string>);
  };
  const handles: string[] = [];
  const logIn = async (username: string): Promise<string> => {
    const handle = await bearerHandleAtLast(service.graphql, { username, password: 'CANARY-PW-x' });
    handles.push(handle);
    return handle;
  };
  const isOpen = async (handle: string): Promise<boolean> =>
    (await service.graphql('{ hasSession }', { handle })).data.hasSession as boolean;
  const audited = (event: string): AuditLine[] =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes('"audit":1'))
      .map((line) => JSON.parse(line) as AuditLine)
      .filter((line) => line.event === event);

  it('are listed with their id in the audit log, begin, last use, transport and network', async () => {
    const handle = await logIn('alice');
    await logIn('bob');
    const [alice, ...others] = await list('--account', 'ALICE');
    expect(others).toEqual([]);
    await eventually(() => audited('login').some(({ account }) => account === 'alice'));
    expect(alice).toEqual({
      id: audited('login').find(({ account }) => account === 'alice')?.session,
      startedAt: expect.any(String),
      lastUsedAt: expect.any(String),
      endsAt: expect.any(String),
      transport: 'bearer',
      network: '127.0.0.1',
    });
    expect(Math.abs(Date.parse(alice?.startedAt ?? '') - Date.now())).toBeLessThan(60_000);
    expect((await list()).map(({ id }) => id)).toHaveLength(2);
    const text = await command('list');
    expect(text.stdout).toMatch(/^id +startedAt +lastUsedAt +endsAt +transport +network\n/);
    expect(text.stdout).toContain(alice?.id);
    expect(text.stdout).not.toContain(handle);
  });

  it('end by their id, also on the platform, and the audit log says who ended them', async () => {
    const [ended, stays] = [await logIn('alice'), await logIn('alice')];
    const [first] = await list('--account', 'alice');
    const [before] = [platform.openSessions()];
    expect(await command('end', '--id', first?.id ?? '')).toMatchObject({
      code: 0,
      stdout: '1 session ended\n',
    });
    expect([await isOpen(ended), await isOpen(stays)].filter(Boolean)).toHaveLength(1);
    await eventually(() => platform.openSessions() === before - 1);
    await eventually(() => {
      expect(audited('end').filter(({ session }) => session === first?.id)).toEqual([
        expect.objectContaining({ cause: 'operator', outcome: 'success' }),
      ]);
    });
    expect((await command('end', '--id', first?.id ?? '')).stdout).toBe('0 sessions ended\n');
  });

  it('end by a further login than the account may have, the oldest first', async () => {
    for (let n = 0; n < 5; n += 1) {
      await logIn('carol');
      // By the clock of the store, each begins later than the one before.
      const begun = Date.now();
      await eventually(() => Date.now() > begun + 1);
    }
    expect(await Promise.all(handles.map(isOpen))).toEqual([false, false, true, true, true]);
    await eventually(() => platform.openSessions() === 3);
    await eventually(() => audited('end').filter(({ cause }) => cause === 'account_limit').length === 2);
  });

  it('end together when one of them logs out everywhere, and those of others go on', async () => {
    const [alice, second, bob] = [await logIn('alice'), await logIn('alice'), await logIn('bob')];
    const { data } = await service.graphql(LOGOUT_EVERYWHERE, { handle: alice });
    expect(data.logout).toEqual({ loggedOut: true, platformLoggedOut: true });
    expect(await Promise.all([alice, second, bob].map(isOpen))).toEqual([false, false, true]);
    await eventually(() => platform.openSessions() === 1);
    await eventually(() => audited('end').some(({ cause }) => cause === 'everywhere'));
  });

  it('are listed while no service runs, and their end is audited by the next one', async () => {
    await logIn('alice');
    const [session] = await list();
    await service.close();
    const [listed] = await list();
    // Redis tells the time that is left in whole milliseconds, so these times are rounded differently from call to call.
    const { endsAt, lastUsedAt } = listed ?? {};
    expect(listed).toEqual({ ...session, endsAt, lastUsedAt });
    for (const [time, before] of [
      [endsAt, session?.endsAt],
      [lastUsedAt, session?.lastUsedAt],
    ])
      expect(Math.abs(Date.parse(time ?? '') - Date.parse(before ?? ''))).toBeLessThanOrEqual(2);
    expect((await command('end', '--account', 'alice')).stdout).toBe('1 session ended\n');
    service = await start();
    expect(await list()).toEqual([]);
    // The embedded store tells of no ending from before its start.
    if (kind === 'redis')
      await eventually(() => audited('end').some(({ session: id }) => id === session?.id));
    platform.endSessions();
  });

  it('are listed and ended by a process beside that of the service', async () => {
    await service.close();
    const running = await runService(folder.path, environment);
    const handle = await bearerHandleAtLast(running.graphql, { username: 'alice' });
    const run = (...args: string[]): Promise<CommandRun> =>
      runNode(['--max-semi-space-size=16', CLI, 'sessions', ...args], { cwd: folder.path, env: environment });
    const listed = await run('list', '--json');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    const { id } = JSON.parse(listed.stdout) as { id: string };
    expect(await run('end', '--id', id)).toEqual({ code: 0, stdout: '1 session ended\n', stderr: '' });
    expect((await running.graphql('{ hasSession }', { handle })).data).toEqual({ hasSession: false });
    await eventually(() => platform.openSessions() === 0);
    await stopServices();
    service = await start();
  });

  it('whose time is over are logged out on the platform', async () => {
    await service.close();
    service = await start({ SESSION_IDLE_SECONDS: kind === 'redis' ? '600' : '1' });
    await logIn('alice');
    const used = await logIn('bob');
    if (redis !== undefined) await ageRedis(redis.admin, 601_000);
    if (redis === undefined) await eventually(() => platform.openSessions() === 0);
    else expect(await isOpen(used)).toBe(false);
    if (redis === undefined) await eventually(() => audited('timeout').length === 2);
    platform.endSessions();
  });
});
