import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app/app.factory.js';
import { startFault } from '../../src/app/start-fault.js';
import { failToStart, stopServices } from '../support/app/run-service.js';
import { startApp } from '../support/app/start-app.js';
import { sessionKeysSetting } from '../support/session/session-keys.js';
import { tempFolder } from '../support/temp-folder.js';

describe('a service that cannot start says why in one line, and exits with 1', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await folder.remove();
  });

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

  it('for a HOST that is not of this machine', async () => {
    const { code, stderr } = await failToStart(folder.path, { HOST: '192.0.2.1', LOG_LEVEL: 'error' });
    expect(code).toBe(1);
    expect(stderr).toBe('192.0.2.1 is not an address of this machine: check HOST and METRICS_HOST\n');
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

  it('for a store that another process has', async () => {
    const running = await startApp({ SESSION_STORE_PATH: `${folder.path}/data/sessions.db` });
    const { code, stderr } = await failToStart(folder.path, {});
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The session store is unavailable: another process has its file open: stop it, give each process its own SESSION_STORE_PATH, or keep all sessions in Redis (SESSION_STORE=redis) (data/sessions.db)\n',
    );
    await running.close();
  });

  it('for a Node that is too old', async () => {
    const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
    const { code, stderr } = await failToStart(folder.path, {}, ['--import', older]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'Portico needs Node 24.13 or newer; this is 20.20.2. In a checkout, npm start uses the Node that the project installs.\n',
    );
  });
});

describe('a service says in one line what keeps it from starting', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(() => folder.remove());

  /** What the process would print; how it prints and ends is shown above. */
  const faultWith = (environment: Record<string, string>): Promise<string> =>
    startApp({ PLATFORM_BASE_URL: 'http://127.0.0.1:9/api', ...environment }).then(
      () => 'started',
      (fault: unknown) => startFault(fault),
    );

  it('for an audit log that cannot be written', async () => {
    const said = await faultWith({ AUDIT_LOG: '/proc/nope/audit.log' });
    expect(said).toMatch(/^[^\n]*AUDIT_LOG cannot be used: no folder can be made there$/m);
  });

  it('for a METRICS_HOST that is not of this machine', async () => {
    const said = await faultWith({ METRICS_HOST: '192.0.2.1', METRICS_PORT: '0' });
    expect(said).toBe('192.0.2.1 is not an address of this machine: check HOST and METRICS_HOST');
  });

  it('for a .env that cannot be read', async () => {
    await mkdir(`${folder.path}/.env`);
    const before = process.cwd();
    process.chdir(folder.path);
    const started = createApp();
    process.chdir(before);
    const said = await started.then(() => 'started', startFault);
    expect(said).toBe('.env must be a readable file (EISDIR)');
  });

  it('for all missing files at once', async () => {
    const said = await faultWith({
      PLATFORM_TLS_VERIFY: `${folder.path}/none.pem`,
      ISERVER_MESSAGES_FILE: 'CANARY.json',
      CREDENTIALS_FILE: 'CANARY.yaml',
      PERSISTED_DOCUMENTS: 'CANARY',
      PORT: 'CANARY',
    });
    const names = [...said.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
    expect(names.sort()).toEqual([
      'CREDENTIALS_FILE',
      'ISERVER_MESSAGES_FILE',
      'PERSISTED_DOCUMENTS',
      'PLATFORM_TLS_VERIFY',
      'PORT',
    ]);
    expect(said).not.toContain('CANARY');
  });

  it('for an invalid CA bundle', async () => {
    await writeFile(`${folder.path}/bundle.pem`, 'CANARY');
    const said = await faultWith({ PLATFORM_TLS_VERIFY: `${folder.path}/bundle.pem` });
    expect(said).toBe(
      'These settings cannot be used:\n  PLATFORM_TLS_VERIFY must be the path of a bundle of PEM certificates',
    );
  });

  it('for an invalid file of back-end messages', async () => {
    await writeFile(`${folder.path}/messages.json`, '["CANARY"]');
    const said = await faultWith({ ISERVER_MESSAGES_FILE: `${folder.path}/messages.json` });
    expect(said).toBe(
      'These settings cannot be used:\n  ISERVER_MESSAGES_FILE must be a JSON object of messages by integer codes',
    );
  });

  it.each([
    ['there is a folder', 'folder/x.db', 'it is a folder'],
    ['no folder can be made', '/proc/nope/x.db', 'no folder can be made there'],
    ['there is a file on the way', 'file/x.db', 'a part of the path is a file, not a folder'],
  ])('for a session file where %s', async (_what, path, reason) => {
    await mkdir(`${folder.path}/folder/x.db`, { recursive: true });
    await writeFile(`${folder.path}/file`, '');
    const file = resolve(folder.path, path);
    const said = await faultWith({ SESSION_STORE_PATH: file, SESSION_KEYS: sessionKeysSetting() });
    expect(said).toBe(`SESSION_STORE_PATH cannot be used: ${file}: ${reason}`);
  });

  it('for a key file that holds no keys', async () => {
    await mkdir(`${folder.path}/data`);
    await writeFile(`${folder.path}/data/sessions.db.keys`, 'CANARY');
    await chmod(`${folder.path}/data/sessions.db.keys`, 0o600);
    const said = await faultWith({ SESSION_STORE_PATH: `${folder.path}/data/sessions.db` });
    expect(said).toMatch(
      /^These settings cannot be used:\n[^\n]*sessions\.db\.keys holds no session keys[^\n]*$/,
    );
    expect(said).not.toContain('CANARY');
  });
});
