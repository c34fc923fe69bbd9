import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createCanaries } from '../support/secrets/canaries.js';
import { eventually } from '../support/eventually.js';
import { gate } from '../support/gate.js';
import { bearerHandle } from '../support/graphql/graphql-caller.js';
import { productionSettings } from '../support/app/production.js';
import { failToStart, runService, stopServices } from '../support/app/run-service.js';
import { startPlatform } from '../support/embedded-platform/start-platform.js';
import { sessionKeysSetting } from '../support/session/session-keys.js';
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

describe('the service as a process', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await folder.remove();
  });

  it('shows a curl that works when it is pasted', async () => {
    const service = await runService(folder.path);
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
    await service.stop();
  });

  it('shows which platform it uses when it runs one and uses another', async () => {
    const platform = await startPlatform();
    const service = await runService(folder.path, {
      PLATFORM_BASE_URL: platform.baseUrl,
      EMBEDDED_PLATFORM: 'on',
    });
    await eventually(() => service.output().includes('Ctrl-C stops it.'));
    expect(service.output()).toContain('The service uses PLATFORM_BASE_URL, not this platform.');
    expect(/^curl .*$/m.exec(service.output())?.[0]).toContain('{ hasSession }');
    await service.stop();
    await platform.close();
  });

  it('reports that it is not ready when its session store does not answer', async () => {
    const service = await runService(folder.path, {
      SESSION_STORE: 'redis',
      REDIS_URL: 'redis://127.0.0.1:9',
    });
    expect(service.output()).toContain('Portico is running, but not ready');
    expect(service.output()).not.toContain('Portico is ready');
    await service.stop();
  });

  it('warns once in production that the cookie has to do without Secure', async () => {
    const platform = await startPlatform();
    const service = await runService(folder.path, {
      ...productionSettings(platform.baseUrl),
      LOG_LEVEL: 'info',
    });
    const login = 'mutation { login(input: {username: "demo", password: "demo"}) { expiresAt } }';
    const warnings = (): number => service.output().split('set without Secure').length - 1;
    await service.graphql(login);
    expect(warnings()).toBe(0);
    for (let n = 0; n < 2; n += 1) await loginUnder('portico.example', service.url, login);
    await eventually(() => warnings() > 0);
    expect(warnings()).toBe(1);
    await service.stop();
    await platform.close();
  });

  it('reports that it is alive and ready, without a session', async () => {
    const service = await runService(folder.path);
    for (const path of ['livez', 'readyz']) {
      const response = await fetch(`${service.url}/${path}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ status: 'ok' });
    }
    await service.stop();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'answers what is under way and exits with 0 on %s',
    async (signal) => {
      const platform = await startUserPlatform();
      const held = gate();
      platform.before('GET projects', () => held.passed);
      const service = await runService(folder.path, { PLATFORM_BASE_URL: platform.baseUrl });
      const handle = await bearerHandle(service.graphql, { username: 'alice' });
      const underWay = service.graphql('{ projects { id } }', { handle });
      await eventually(() => platform.count('GET projects') === 1);
      const ended = service.stop(signal);
      await eventually(() => isRefused(service.url));
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

    const second = await runService(folder.path, { PLATFORM_BASE_URL: platform.baseUrl });
    const { data } = await second.graphql('{ hasSession me { fullName } }', { handle });
    expect(data).toMatchObject({ hasSession: true, me: { fullName: expect.any(String) } });
    await second.stop();
    await platform.close();
  });

  it('logs JSON lines with the request id, beside the screen for a person', async () => {
    const service = await runService(folder.path);
    await service.graphql('{ hasSession }', { headers: { 'x-request-id': 'one-of-many' } });
    await service.stop();
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
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

  describe('says in one line what keeps it from starting, and exits with 1', () => {
    it('for a port that is in use', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const port = String((other.address() as AddressInfo).port);
      expect(await failToStart(folder.path, { PORT: port, LOG_LEVEL: 'error' })).toEqual({
        code: 1,
        stdout: '',
        stderr: `Port ${port} of 127.0.0.1 is in use: choose another (PORT, METRICS_PORT or EMBEDDED_PLATFORM_PORT), or 0 for any free one\n`,
      });
      other.close();
    });

    it.each([
      ['HOST', { HOST: '192.0.2.1' }],
      ['METRICS_HOST', { METRICS_HOST: '192.0.2.1', METRICS_PORT: '0' }],
    ])('for a %s that is not of this machine', async (_name, settings) => {
      const { code, stderr } = await failToStart(folder.path, { ...settings, LOG_LEVEL: 'error' });
      expect(code).toBe(1);
      expect(stderr).toBe('192.0.2.1 is not an address of this machine: check HOST and METRICS_HOST\n');
    });

    it('for a .env that cannot be read', async () => {
      await mkdir(`${folder.path}/.env`);
      const { code, stderr } = await failToStart(folder.path, {});
      expect({ code, stderr }).toEqual({ code: 1, stderr: '.env must be a readable file (EISDIR)\n' });
    });

    it('for an audit log that cannot be written', async () => {
      const { code, stderr } = await failToStart(folder.path, { AUDIT_LOG: '/proc/nope/audit.log' });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^[^\n]*AUDIT_LOG cannot be used: no folder can be made there\n$/m);
    });

    it('for settings that cannot be used, with all their names', async () => {
      const { code, stdout, stderr } = await failToStart(folder.path, {
        PORT: 'CANARY',
        SESSION_STORE: 'CANARY',
      });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^These settings cannot be used:\n {2}PORT .*\n {2}SESSION_STORE .*\n$/);
      expect(stderr).not.toContain('CANARY');
    });

    it('for all missing files at once', async () => {
      const { code, stderr } = await failToStart(folder.path, {
        PLATFORM_TLS_VERIFY: `${folder.path}/none.pem`,
        ISERVER_MESSAGES_FILE: 'CANARY.json',
        CREDENTIALS_FILE: 'CANARY.yaml',
        PERSISTED_DOCUMENTS: 'CANARY',
        PORT: 'CANARY',
      });
      expect(code).toBe(1);
      const names = [...stderr.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
      expect(names.sort()).toEqual([
        'CREDENTIALS_FILE',
        'ISERVER_MESSAGES_FILE',
        'PERSISTED_DOCUMENTS',
        'PLATFORM_TLS_VERIFY',
        'PORT',
      ]);
      expect(stderr).not.toContain('CANARY');
    });

    it('for an invalid CA bundle', async () => {
      await writeFile(`${folder.path}/bundle.pem`, 'CANARY');
      const { code, stderr } = await failToStart(folder.path, { PLATFORM_TLS_VERIFY: 'bundle.pem' });
      expect(code).toBe(1);
      expect(stderr).toBe(
        'These settings cannot be used:\n  PLATFORM_TLS_VERIFY must be the path of a bundle of PEM certificates\n',
      );
    });

    it('for an invalid file of back-end messages', async () => {
      await writeFile(`${folder.path}/messages.json`, '["CANARY"]');
      const { code, stderr } = await failToStart(folder.path, { ISERVER_MESSAGES_FILE: 'messages.json' });
      expect(code).toBe(1);
      expect(stderr).toBe(
        'These settings cannot be used:\n  ISERVER_MESSAGES_FILE must be a JSON object of messages by integer codes\n',
      );
    });

    it.each([
      ['there is a folder', 'folder/x.db', 'it is a folder'],
      ['no folder can be made', '/proc/nope/x.db', 'no folder can be made there'],
      ['there is a file on the way', 'file/x.db', 'a part of the path is a file, not a folder'],
    ])('for a session file where %s', async (_what, path, reason) => {
      await mkdir(`${folder.path}/folder/x.db`, { recursive: true });
      await writeFile(`${folder.path}/file`, '');
      const { code, stderr } = await failToStart(folder.path, {
        SESSION_STORE_PATH: path,
        SESSION_KEYS: sessionKeysSetting(),
      });
      expect(code).toBe(1);
      expect(stderr).toBe(`SESSION_STORE_PATH cannot be used: ${path}: ${reason}\n`);
    });

    it('for a key file that holds no keys', async () => {
      await mkdir(`${folder.path}/data`);
      await writeFile(`${folder.path}/data/sessions.db.keys`, 'CANARY');
      await chmod(`${folder.path}/data/sessions.db.keys`, 0o600);
      const { code, stderr } = await failToStart(folder.path, {});
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^These settings cannot be used:\n[^\n]*sessions\.db\.keys holds no session keys[^\n]*\n$/,
      );
      expect(stderr).not.toContain('CANARY');
    });

    it('for a store that another process has', async () => {
      const service = await runService(folder.path);
      const { code, stderr } = await failToStart(folder.path, {});
      expect(code).toBe(1);
      expect(stderr).toMatch(/^The session store is unavailable: another process has its file open[^\n]*\n$/);
      await service.stop();
    });

    it('for a Node that is too old', async () => {
      const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
      const { code, stderr } = await failToStart(folder.path, {}, ['--import', older]);
      expect(code).toBe(1);
      expect(stderr).toBe(
        'Portico needs Node 24.13 or newer; this is 20.20.2. Use npm start, which brings it.\n',
      );
    });
  });
});
