import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../packages/portico/test/support/client/certificate.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { type LoggedApp, startLoggedApp } from '../../support/app/logged-app.js';
import { runService, stopServices } from '../../support/app/run-service.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { freePort } from '../../support/free-port.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';
import { tempFolder } from '../../support/temp-folder.js';

const suite = redisMissing === undefined ? describe : describe.skip;
const PASSWORD = 'CANARY-PW-redis';

suite(`a service on redis (${redisMissing ?? 'a redis-server that the test owns'})`, () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let redis: RunningRedis | undefined;
  let app: LoggedApp | undefined;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await app?.close();
    app = undefined;
    await redis?.close();
    await folder.remove();
  });

  it('uses TLS with a password from the URL alone, and never with an untrusted server', async () => {
    const { key, cert, path } = await makeCertificate();
    const keyFile = `${folder.path}/redis.key`;
    await writeFile(keyFile, key);
    expect(cert).toContain('CERTIFICATE');
    const tlsPort = await freePort();
    const tls = ['--tls-port', String(tlsPort), '--tls-cert-file', path, '--tls-key-file', keyFile];
    redis = await startRedis([...tls, '--tls-auth-clients', 'no', '--requirepass', PASSWORD], {
      password: PASSWORD,
    });
    const environment = {
      SESSION_STORE: 'redis',
      REDIS_URL: `rediss://:${PASSWORD}@127.0.0.1:${tlsPort}`,
      SESSION_KEYS: sessionKeysSetting(),
    };

    const trusting = await runService(folder.path, { ...environment, NODE_EXTRA_CA_CERTS: path });
    const handle = await bearerHandle(trusting.graphql, { username: 'demo' });
    expect((await trusting.graphql('{ hasSession }', { handle })).data).toEqual({ hasSession: true });
    expect(await redis.admin.keys('portico:session:*')).toHaveLength(1);

    app = await startLoggedApp(environment);
    expect((await app.graphql('{ hasSession }', { handle })).status).toBe(503);
    await eventually(() => {
      expect(app?.output()).toMatch(/The session store cannot be used: DEPTH_ZERO_SELF_SIGNED_CERT/);
    });
    expect(trusting.output() + app.output()).not.toContain('CANARY');
  });

  it('warns of nothing at the first login', async () => {
    redis = await startRedis();
    app = await startLoggedApp({
      SESSION_STORE: 'redis',
      REDIS_URL: redis.url,
      SESSION_KEYS: sessionKeysSetting(),
    });
    const handle = await bearerHandle(app.graphql, { username: 'demo' });
    expect((await app.graphql('{ hasSession }', { handle })).data).toEqual({ hasSession: true });
    expect(app.output()).toContain('"event":"login"');
    expect(app.output()).not.toMatch(/"level":[456]0/);
  });

  it('starts without redis, warns in one line, and needs no restart once it is there', async () => {
    redis = await startRedis(['--maxmemory-policy', 'allkeys-lru']);
    await redis.kill();
    app = await startLoggedApp({
      SESSION_STORE: 'redis',
      REDIS_URL: redis.url,
      SESSION_KEYS: sessionKeysSetting(),
    });
    const service = app;
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    await redis.restart();
    await eventually(async () => {
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    });
    await eventually(() => {
      expect(service.output()).toMatch(/may drop sessions.*allkeys-lru.*use noeviction/);
    });
    const refused = service
      .output()
      .split('\n')
      .filter((line) => line.includes('cannot be used: ECONNREFUSED') && line.includes('"SessionStore"'));
    expect(refused).toHaveLength(1);
  });
});
