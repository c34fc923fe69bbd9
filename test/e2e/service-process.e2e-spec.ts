import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCanaries } from '../../packages/portico/test/support/secrets/canaries.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { gate } from '../../packages/portico/test/support/gate.js';
import { bearerHandle } from '../support/graphql/graphql-caller.js';
import { productionSettings } from '../support/app/production.js';
import { peakMegabytes, residentMegabytes } from '../support/app/resident-memory.js';
import { type RunningService, runService, stopServices } from '../support/app/run-service.js';
import { startApp } from '../support/app/start-app.js';
import {
  type StartedPlatform,
  startPlatform,
} from '../../packages/portico/test/support/embedded-platform/start-platform.js';
import { tempFolder } from '../support/temp-folder.js';
import { startUserPlatform } from '../support/embedded-platform/user-platform.js';

/** Whether nothing takes connections any more. */
const isRefused = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    () => false,
    () => true,
  );

/** The JSON of a file that is being written. */
async function eventuallyRead(path: string): Promise<unknown> {
  let content: unknown;
  await eventually(async () => {
    content = JSON.parse(await readFile(path, 'utf8'));
  });
  return content;
}

/** `fetch` sets the host itself. */
async function loginUnder(host: string, url: string, query: string): Promise<void> {
  const call = request(`${url}/graphql`, {
    method: 'POST',
    headers: { host, 'content-type': 'application/json' },
  });
  call.end(JSON.stringify({ query }));
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
}

describe('the service as a process without any setting', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let service: RunningService;
  beforeAll(async () => {
    folder = await tempFolder();
    service = await runService(folder.path);
  });
  afterAll(async () => {
    await stopServices();
    await folder.remove();
  });

  it('gives back the memory that only its start needed', async () => {
    const { pid } = service.process;
    await eventually(async () => {
      expect((await residentMegabytes(pid)) / (await peakMegabytes(pid))).toBeLessThan(0.85);
    }, 10_000);
  });

  it('reports that it is alive and ready, without a session, and shows a curl that works when it is pasted', async () => {
    for (const path of ['livez', 'readyz']) {
      const response = await fetch(`${service.url}/${path}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ status: 'ok' });
    }
    await eventually(() => service.output().includes('Press Ctrl-C to stop.'));
    const command = /^curl .*$/m.exec(service.output())?.[0] ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({
      data: {
        login: {
          handle: expect.any(String),
          projects: expect.arrayContaining([{ id: expect.any(String), name: expect.any(String) }]),
        },
      },
    });
  });

  it('logs JSON lines with the request id, beside the screen for a person', async () => {
    await service.graphql('{ hasSession }', { headers: { 'x-request-id': 'one-of-many' } });
    await eventually(() => {
      const lines = service
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines).toContainEqual(
        expect.objectContaining({
          msg: 'answered',
          requestId: 'one-of-many',
          method: 'POST',
          path: '/graphql',
          status: 200,
        }),
      );
    });
  });

  it('does not open the inspector on SIGUSR1, and stops in order on SIGHUP', async () => {
    service.process.kill('SIGUSR1');
    expect((await service.graphql('{ hasSession }')).data).toEqual({ hasSession: false });
    expect(await service.stop('SIGHUP')).toEqual({ code: 0, signal: null });
    expect(service.output()).not.toContain('Debugger');
  });
});

describe('the service as a process in production', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: StartedPlatform;
  let service: RunningService;
  beforeAll(async () => {
    folder = await tempFolder();
    platform = await startPlatform();
    service = await runService(folder.path, {
      ...productionSettings(platform.baseUrl),
      ALLOWED_HOSTS: 'portico.example,127.0.0.1',
      TRUSTED_PROXIES: 'loopback',
      LOG_LEVEL: 'info',
    });
  });
  afterAll(async () => {
    await stopServices();
    await platform.close();
    await folder.remove();
  });

  it('names version, store and platform in one line of the log', async () => {
    const line = `Portico 0.2.0 runs with sessions in the embedded store and the platform at ${platform.baseUrl}`;
    await eventually(() => service.output().includes(`"msg":"${line}"`));
    expect(service.output()).not.toContain('Press Ctrl-C to stop.');
  });

  it('warns once that the cookie has to do without Secure, and which header a trusted proxy omits', async () => {
    const login = 'mutation { login(input: {username: "demo", password: "demo"}) { expiresAt } }';
    const warnings = (): number => service.output().split('set without Secure').length - 1;
    await service.graphql(login);
    expect(warnings()).toBe(0);
    for (let n = 0; n < 2; n += 1) await loginUnder('portico.example', service.url, login);
    await eventually(() => warnings() > 0);
    expect(warnings()).toBe(1);
    expect(service.output()).toMatch(/without Secure.*A TLS proxy must send X-Forwarded-Proto: https/);
    expect(service.output()).not.toContain('set TRUSTED_PROXIES');
  });
});

describe('the service as a process', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await folder.remove();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'answers what is under way, and what has only begun to come, and exits with 0 on %s',
    async (signal) => {
      const platform = await startUserPlatform();
      const held = gate();
      platform.before('GET projects', () => held.passed);
      const service = await runService(folder.path, { PLATFORM_BASE_URL: platform.baseUrl });
      const handle = await bearerHandle(service.graphql, { username: 'alice' });
      const underWay = service.graphql('{ projects { id } }', { handle });
      await eventually(() => platform.count('GET projects') === 1);
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      const late = text(socket);
      socket.write('GET /livez HTTP/1.1\r\n');
      // The service reads in order, so it has read them before it answers this.
      await fetch(`${service.url}/livez`);
      const ended = service.stop(signal);
      await eventually(() => isRefused(service.url));
      socket.write('host: a\r\n\r\n');
      expect(await late).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n/i);
      held.open();
      expect((await underWay).data).toEqual({ projects: [{ id: 'alice' }] });
      expect(await ended).toEqual({ code: 0, signal: null });
    },
  );

  it('knows its sessions after it was killed and started again', async () => {
    const platform = await startPlatform();
    const first = await runService(folder.path, { PLATFORM_BASE_URL: platform.baseUrl });
    const handle = await bearerHandle(first.graphql, { username: 'demo', password: 'demo' });
    expect(await first.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });

    const second = await startApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      SESSION_STORE_PATH: `${folder.path}/data/sessions.db`,
    });
    const { data } = await second.graphql('{ hasSession me { fullName } }', { handle });
    expect(data).toMatchObject({ hasSession: true, me: { fullName: expect.any(String) } });
    await second.close();
    await platform.close();
  });

  it('reveals no secret setting in a diagnostic report', async () => {
    const canaries = createCanaries();
    const key = randomBytes(32).toString('base64');
    canaries.watch('session key', key);
    const service = await runService(folder.path, {
      NODE_OPTIONS: `--report-on-signal --report-directory=${folder.path} --report-filename=report.json`,
      SESSION_KEYS: `one:${key}`,
      FEDERATION_SECRET: canaries.plant('SECRET'),
      REDIS_URL: `redis://:${canaries.plant('PW')}@127.0.0.1:9`,
    });
    service.process.kill('SIGUSR2');
    const report = await eventuallyRead(`${folder.path}/report.json`);
    await service.stop();
    expect(report).toHaveProperty('environmentVariables.NODE_OPTIONS');
    expect(canaries.findIn(JSON.stringify(report))).toEqual([]);
  });
});
