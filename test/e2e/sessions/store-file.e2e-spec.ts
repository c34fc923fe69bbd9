import { open, rename, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { runService, type RunningService, stopServices } from '../../support/app/run-service.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { metricsReader, type MetricsReader } from '../../support/metrics-reader.js';
import { freePort } from '../../support/free-port.js';
import { type TinyDisk, tinyDisk, tinyDiskMissing } from '../../support/session/tiny-disk.js';
import { tempFolder } from '../../support/temp-folder.js';

const ME = '{ me { id } }';
const LOGOUT = 'mutation { logout { loggedOut } }';
const FAULTS = 'portico_session_store_faults_total';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let platform: UserPlatform;
let service: RunningService;
let next: TestApp | undefined;
let metrics: MetricsReader;
let path: string;

async function start(storePath: string): Promise<void> {
  path = storePath;
  const port = await freePort();
  service = await runService(folder.path, {
    SESSION_STORE_PATH: path,
    PLATFORM_BASE_URL: platform.baseUrl,
    METRICS_PORT: String(port),
  });
  metrics = metricsReader(`http://127.0.0.1:${port}/metrics`);
}

/** After a crash, in this process. */
async function startNext(): Promise<TestApp> {
  await service.stop('SIGKILL');
  next = await startApp({ SESSION_STORE_PATH: path, PLATFORM_BASE_URL: platform.baseUrl });
  return next;
}

async function ready(): Promise<{ status: number; store: unknown }> {
  const response = await fetch(`${service.url}/readyz`);
  const { details } = (await response.json()) as { details: { sessionStore: unknown } };
  return { status: response.status, store: details.sessionStore };
}

beforeEach(async () => {
  folder = await tempFolder();
  platform = await startUserPlatform();
});
afterEach(async () => {
  await stopServices();
  await next?.close();
  next = undefined;
  await platform.close();
  await folder.remove();
});

describe('a service whose session file is damaged while it runs', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['missing', () => rm(path)],
    [
      'replaced',
      async () => {
        await writeFile(`${path}.other`, '');
        await rename(`${path}.other`, path);
      },
    ],
    [
      'corrupt',
      async () => {
        const file = await open(path, 'r+');
        await file.truncate(4096);
        await file.close();
      },
    ],
  ])(
    'says so in the log, in /readyz and in a metric, and keeps its next session on the disk (%s)',
    async (fault, damage) => {
      await start(`${folder.path}/sessions.db`);
      const before = await bearerHandle(service.graphql, { username: 'alice' });
      await damage();
      await eventually(async () => {
        expect(await metrics.value(`${FAULTS}{fault="${fault}"}`)).toBe(1);
        expect(await ready()).toEqual({ status: 200, store: { status: 'up', lastFault: fault } });
        expect(service.output()).toContain('The session store was repaired: its file ');
      });
      expect(await metrics.value('portico_session_store_up')).toBe(1);
      const after = await bearerHandle(service.graphql, { username: 'bob' });

      const { graphql } = await startNext();
      expect((await graphql(ME, { handle: after })).data).toEqual({ me: { id: 'bob' } });
      // What was on a damaged page may be lost.
      if (fault !== 'corrupt')
        expect((await graphql(ME, { handle: before })).data).toEqual({ me: { id: 'alice' } });
    },
  );
});

const suite = tinyDiskMissing === undefined ? describe : describe.skip;

suite(`a service whose disk is full (${tinyDiskMissing ?? 'a tmpfs of one megabyte'})`, () => {
  let disk: TinyDisk;
  beforeEach(() => {
    disk = tinyDisk();
  });
  afterEach(async () => {
    await stopServices();
    await next?.close();
    next = undefined;
    await disk.unmount();
  });

  it('says so everywhere, and a logout there makes the handle useless although it cannot be confirmed', async () => {
    await start(`${disk.path}/sessions.db`);
    const [handle, other] = [
      await bearerHandle(service.graphql, { username: 'alice' }),
      await bearerHandle(service.graphql, { username: 'bob' }),
    ];
    await writeFile(`${disk.path}/filler`, Buffer.alloc(1024 * 1024)).catch(() => undefined);
    await eventually(async () => {
      expect(await ready()).toEqual({
        status: 200,
        store: { status: 'up', degraded: true, fault: 'full' },
      });
      expect(await metrics.value('portico_session_store_up')).toBe(0);
      expect(await metrics.value('portico_session_store_degraded')).toBe(1);
      expect(await metrics.value(`${FAULTS}{fault="full"}`)).toBe(1);
      expect(service.output()).toContain(
        'The session store takes no writes, so logins fail and sessions go on: database or disk is full',
      );
    });

    expect(await service.graphql(LOGOUT, { handle })).toMatchObject({ status: 503 });
    expect(platform.openSessions()).toBe(1);
    expect((await service.graphql(ME, { handle })).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    await eventually(() => service.output().includes('it may come back when the process restarts'));
    expect((await service.graphql(ME, { handle: other })).data).toEqual({ me: { id: 'bob' } });

    await rm(`${disk.path}/filler`);
    await eventually(async () => {
      expect(await ready()).toEqual({ status: 200, store: { status: 'up', lastFault: 'full' } });
    });
    const { graphql } = await startNext();
    expect((await graphql(ME, { handle })).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    expect((await graphql(ME, { handle: other })).data).toEqual({ me: { id: 'bob' } });
  });
});
