import { readFile, rename } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type AuditRecord } from '../../../src/telemetry/audit.module.js';
import { startLoggedApp } from '../../support/app/logged-app.js';
import { runService, stopServices } from '../../support/app/run-service.js';
import { profileYaml } from '../../support/credentials/profile-yaml.js';
import { type ProfileApp, startProfileApp } from '../../support/credentials/start-profile-app.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { bearerHandle, type GraphQLCaller } from '../../support/graphql/graphql-caller.js';
import { createCanaries } from '../../../packages/portico/test/support/secrets/canaries.js';
import { tempFolder } from '../../support/temp-folder.js';

const KEY = 'CANARY-KEY-of-the-profile';
const IDLE_MS = 1_800_000;
const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { handle } }';
const SCHEMA = new URL('../../../docs/audit.schema.json', import.meta.url);

describe('the audit log', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let running: ProfileApp;
  let graphql: GraphQLCaller;
  let path: string;
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/audit.log`;
    running = await startProfileApp(profileYaml({ name: 'nightly', key: KEY }), {
      AUDIT_LOG: path,
      LOGIN_FAILURES_PER_MINUTE: '3',
    });
    ({ graphql } = running.app);
    running.secrets.put('portico', JSON.stringify({ username: 'demo', password: 'demo' }));
  });
  afterEach(async () => {
    await running.close();
    await folder.remove();
  });

  /** The records so far; each is checked against the published schema. */
  const records = async (count: number): Promise<AuditRecord[]> => {
    let lines: string[] = [];
    await eventually(async () => {
      lines = (await readFile(path, 'utf8')).trim().split('\n');
      return lines.length >= count;
    });
    const validate = new Ajv2020({ allErrors: true, strict: true }).compile(
      JSON.parse(await readFile(SCHEMA, 'utf8')) as object,
    );
    return lines.map((line) => {
      const record = JSON.parse(line) as AuditRecord;
      validate(record);
      expect(validate.errors ?? []).toEqual([]);
      return record;
    });
  };

  it('records a session from its login to its end under one name, and a later use of its handle', async () => {
    const handle = await bearerHandle(graphql, { username: 'demo', password: 'demo' });
    await graphql('mutation { logout { loggedOut } }', { handle });
    const late = await graphql('{ projects { id } }', { handle });

    const [login, logout, refusal] = await records(3);
    expect(login).toEqual({
      audit: 1,
      time: expect.any(String),
      event: 'login',
      outcome: 'success',
      account: 'demo',
      address: '127.0.0.1',
      session: expect.stringMatching(/^[0-9a-f]{16}$/),
      requestId: expect.any(String),
    });
    expect(logout).toMatchObject({ event: 'logout', outcome: 'success', session: login?.session });
    expect(refusal).toMatchObject({
      event: 'refusal',
      outcome: 'refused',
      code: 'UNAUTHENTICATED',
      reason: 'NO_SESSION',
      session: login?.session,
      requestId: late.headers.get('x-request-id'),
    });
  });

  it('records failed logins, and those refused without asking the platform, by the given name', async () => {
    const name = 'eve\u202e\nadmin';
    for (let n = 0; n < 4; n += 1) {
      await graphql(LOGIN, { variables: { input: { username: name, password: 'wrong' } } });
    }
    await graphql('mutation { delegate(input: {identityToken: "made-up"}) { handle } }');

    const audited = await records(5);
    expect(
      audited.map(({ event, outcome, reason, code }) => `${event} ${outcome} ${reason ?? code}`),
    ).toEqual([
      ...Array<string>(3).fill('login failure LOGIN_FAILED'),
      'login refused FAILED_LOGINS',
      'delegate failure LOGIN_FAILED',
    ]);
    expect(audited[0]?.account).toBe('eve\ufffd\ufffdadmin');
  });

  it('writes a name that logs in alone as a fingerprint, and an API key not at all', async () => {
    await graphql(LOGIN, { variables: { input: { username: 'CANARY-TRUSTED-user' } } });
    await graphql(LOGIN, { variables: { input: { username: 'CANARY-TRUSTED-user' } } });
    await graphql(LOGIN, { variables: { input: { apiKey: 'CANARY-API-key' } } });

    const [first, second, byKey] = await records(3);
    expect(first?.account).toMatch(/^sha256:[0-9a-f]{16}$/);
    expect(second?.account).toBe(first?.account);
    expect(byKey).not.toHaveProperty('account');
    expect(await readFile(path, 'utf8')).not.toContain('CANARY');
  });

  it('records the use of profiles, sessions that are logged in again, and those that end', async () => {
    await graphql(LOGIN, { variables: { input: { profile: 'nightly', profileKey: 'wrong' } } });
    const handle = await bearerHandle(graphql, { profile: 'nightly', profileKey: KEY });
    const own = await bearerHandle(graphql, { username: 'demo', password: 'demo' });
    running.platform.clock.advance(IDLE_MS);
    await graphql('{ projects { id } }', { handle });
    await graphql('{ projects { id } }', { handle: own });

    const [wrong, used, login, relogin, expiry] = await records(5);
    expect(wrong).toMatchObject({ event: 'profile_use', outcome: 'failure', profile: 'nightly' });
    expect(wrong).not.toHaveProperty('session');
    expect(used).toMatchObject({ event: 'profile_use', outcome: 'success', profile: 'nightly' });
    expect(relogin).toMatchObject({
      event: 'relogin',
      outcome: 'success',
      profile: 'nightly',
      session: used?.session,
    });
    expect(expiry).toMatchObject({
      event: 'expiry',
      outcome: 'success',
      reason: 'SESSION_EXPIRED',
      session: login?.session,
    });

    running.platform.changePassword('another');
    running.platform.clock.advance(IDLE_MS);
    await graphql('{ projects { id } }', { handle });
    expect((await records(6))[5]).toMatchObject({
      event: 'relogin',
      outcome: 'failure',
      reason: 'LOGIN_FAILED',
      session: used?.session,
    });
  });

  it('holds no secret of a caller, a session or a profile', async () => {
    const canaries = createCanaries();
    canaries.watch('profile key', KEY);
    const password = canaries.plant('PW');
    await graphql(LOGIN, { variables: { input: { username: 'demo', password } } });
    await graphql(LOGIN, { variables: { input: { apiKey: canaries.plant('KEY') } } });
    await graphql('mutation ($t: String!) { delegate(input: {identityToken: $t}) { handle } }', {
      variables: { t: canaries.plant('IDT') },
    });
    const handle = await bearerHandle(graphql, { profile: 'nightly', profileKey: KEY });
    canaries.watch('handle', handle);
    await graphql('{ projects { id } }', { handle });
    await graphql('mutation { logout { loggedOut } }', { handle });
    await graphql('{ projects { id } }', { handle });

    await records(6);
    expect(canaries.findIn(await readFile(path, 'utf8'))).toEqual([]);
  });
});

describe('where the audit log goes', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await folder.remove();
  });
  const login = (call: GraphQLCaller): Promise<unknown> =>
    call('mutation { login(input: {username: "demo", password: "demo"}) { expiresAt } }');

  it('is stdout, even if the log is silent', async () => {
    const service = await startLoggedApp({ LOG_LEVEL: 'silent' });
    await login(service.graphql);
    expect(service.output()).toMatch(/^\{"audit":1,[^\n]*\n$/);
    await service.close();
  });

  it('is a file that logrotate may move: SIGHUP opens a new one, and nothing is lost', async () => {
    const path = `${folder.path}/audit.log`;
    const service = await runService(folder.path, { AUDIT_LOG: path });
    await login(service.graphql);
    await eventually(async () => (await readFile(path, 'utf8')).includes('\n'));
    await rename(path, `${path}.1`);
    service.process.kill('SIGHUP');
    await eventually(async () => (await readFile(path, 'utf8')) === '');
    await login(service.graphql);
    expect(await service.stop()).toEqual({ code: 0, signal: null });

    for (const file of [`${path}.1`, path]) {
      const text = await readFile(file, 'utf8');
      expect(text.trim().split('\n')).toHaveLength(1);
    }
    expect(service.output()).not.toContain('"audit":1');
  });
});
