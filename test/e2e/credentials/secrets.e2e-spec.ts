import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { LoginFailedError, PlatformSession } from 'portico/client';
import { CredentialProfiles } from 'portico/credentials';
import { awsEnvironment } from '../../../packages/portico/test/support/credentials/stores/aws-environment.js';
import { createCanaries } from '../../../packages/portico/test/support/secrets/canaries.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type Answer } from '../../support/graphql/graphql-caller.js';
import { type LoopbackSecretStore } from '../../../packages/portico/test/support/credentials/stores/loopback-secret-store.js';
import { profileYaml } from '../../support/credentials/profile-yaml.js';
import {
  type RotatingPlatform,
  startRotatingPlatform,
} from '../../support/embedded-platform/rotating-platform.js';
import { failToStart, runService, stopServices } from '../../support/app/run-service.js';
import { startApp } from '../../support/app/start-app.js';
import { startSecretsManager } from '../../../packages/portico/test/support/credentials/stores/secrets-manager-secret-store.js';
import { noteOutput } from '../../support/secrets/secret-ledger.js';
import { tempFolder } from '../../support/temp-folder.js';

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { handle me { raw } } }';

describe('the service with credential profiles, as a process', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: RotatingPlatform;
  let secrets: LoopbackSecretStore;
  let environment: Record<string, string>;

  beforeEach(async () => {
    folder = await tempFolder();
    platform = await startRotatingPlatform();
    secrets = await startSecretsManager();
    environment = {
      ...(awsEnvironment(secrets) as Record<string, string>),
      PLATFORM_BASE_URL: platform.baseUrl,
      CREDENTIALS_FILE: 'profiles.yaml',
    };
  });
  afterEach(async () => {
    await stopServices();
    await secrets.close();
    await platform.close();
    await folder.remove();
  });
  const writeProfiles = (text: string): Promise<void> => writeFile(`${folder.path}/profiles.yaml`, text);

  it('puts no secret into logs, answers, metrics, start-up output or its store, whatever happens', async () => {
    const canaries = createCanaries();
    const key = canaries.plant('KEY');
    const passwords = [canaries.plant('PW'), canaries.plant('PW')];
    const inEnvironment = canaries.plant('ENV');
    const inFile = canaries.plant('FILE');
    const put = (password = ''): void => {
      secrets.put('portico', JSON.stringify({ username: 'demo', password }));
    };
    const sha256 = createHash('sha256').update(key).digest('hex');
    const apiKeyFrom = (name: string, source: string): string =>
      `  ${name}: { apiKey: ${source}, profileKeySha256: ${sha256} }\n`;
    await writeFile(`${folder.path}/api-key`, inFile);
    const profiles =
      profileYaml({ name: 'nightly', key }) +
      apiKeyFrom('by-env', '{ store: env, name: DASHBOARD_API_KEY }') +
      apiKeyFrom('by-env-key', '{ store: env, name: DASHBOARD_API_KEY, key: apiKey }') +
      apiKeyFrom('by-file', '{ store: file, path: api-key }') +
      apiKeyFrom('by-file-key', '{ store: file, path: api-key, key: apiKey }');
    await writeProfiles(profiles);
    platform.changePassword(passwords[0] ?? '');
    put(passwords[0]);

    const service = await runService(folder.path, {
      ...environment,
      DASHBOARD_API_KEY: inEnvironment,
      METRICS_PORT: '0',
      LOG_LEVEL: 'trace',
    });
    const answers: Answer[] = [];
    const logIn = async (profile: string, profileKey = key): Promise<Answer> => {
      const variables = { input: { profile, profileKey, transport: 'BEARER' } };
      const answer = await service.graphql(LOGIN, { variables });
      answers.push(answer);
      return answer;
    };
    const opened = await service.graphql(LOGIN, {
      variables: { input: { profile: 'nightly', profileKey: key, transport: 'BEARER' } },
    });
    const handle = String(opened.data.login.handle);
    canaries.watch('HDL', handle);
    const load = async (): Promise<void> => {
      answers.push(await service.graphql('{ projects { id } }', { handle }));
    };
    await load();
    platform.clock.advance(1_800_000);
    platform.changePassword(passwords[1] ?? '');
    put(passwords[1]);
    await load();
    expect(answers.every(({ errors }) => errors === undefined)).toBe(true);

    await logIn('nightly', canaries.plant('KEY'));
    await logIn(canaries.plantPublic('NAME'));
    for (const profile of ['by-env', 'by-env-key', 'by-file', 'by-file-key']) await logIn(profile);
    for (const mood of ['denied', 'throttled', 'failing', 'malformed', 'hanging-up'] as const) {
      secrets.become(mood);
      await logIn('nightly');
    }
    secrets.become('ready');
    put(canaries.plant('PW'));
    await logIn('nightly');
    platform.clock.advance(1_800_000);
    await load();
    expect(answers.filter(({ errors }) => errors !== undefined)).toHaveLength(13);

    await writeProfiles(`profiles: { nightly: { password: ${canaries.plant('YAML')} } }`);
    await eventually(() => service.output().includes('The profiles are unchanged'));

    const metricsUrl = /http:\/\/[^"\s]+\/metrics/.exec(service.output())?.[0] ?? '';
    const metrics = await (await fetch(metricsUrl)).text();
    noteOutput(metrics);
    expect(metrics).toContain('portico_credential_profile_resolved{profile="nightly"} 1');
    expect(metrics).toContain('portico_credential_profile_resolved{profile="by-env-key"} 0');
    await service.stop();

    const output = service.output();
    expect(output).toContain('secrets_manager \\"portico\\": the store refused the request');
    expect(output).toContain('A session of the profile nightly was logged in again');
    // The audit log names the account or profile that was tried, as given. No other output does, and it holds no secret.
    const isAudit = (line: string): boolean => line.includes('"audit":1');
    const lines = output.split('\n');
    expect(canaries.findIn(lines.filter((line) => !isAudit(line)).join('\n'))).toEqual([]);
    const audited = canaries.findIn(lines.filter(isAudit).join('\n'));
    expect(audited).toEqual([{ kind: 'NAME', spelling: 'plain' }]);
    expect(canaries.findIn(metrics)).toEqual([]);
    expect(canaries.findIn(answers.map(({ text }) => text).join('\n'))).toEqual([]);
    const stored = await readdir(`${folder.path}/data`);
    const texts = stored.map((name) => readFile(`${folder.path}/data/${name}`, 'latin1'));
    expect(canaries.findIn((await Promise.all(texts)).join('\n'))).toEqual([]);
  });

  it('does not start with a bad file, and names all of its faults and no value in one message', async () => {
    const canaries = createCanaries();
    const planted = canaries.plant('PW');
    await writeProfiles(
      `profiles:\n  nightly: { password: ${planted}, profileKeySha256: ${planted} }\n  other: { apiKey: { store: vaults } }\n`,
    );
    const { code, stdout, stderr } = await failToStart(folder.path, environment);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^These settings cannot be used:\n/);
    for (const path of [
      'profiles.nightly.password',
      'profiles.nightly.profileKeySha256',
      'profiles.other.apiKey.store',
    ]) {
      expect(stderr).toContain(`  CREDENTIALS_FILE: ${path}: `);
    }
    expect(canaries.findIn(stderr)).toEqual([]);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('does not start without the file', async () => {
    const CREDENTIALS_FILE = `${folder.path}/profiles.yaml`;
    await expect(startApp({ ...environment, CREDENTIALS_FILE })).rejects.toThrow(
      'These settings cannot be used:\n  CREDENTIALS_FILE must be the path of a readable file',
    );
  });

  it('shows no secret when its profiles are inspected', async () => {
    const canaries = createCanaries();
    const environmentOfProfiles = { API_KEY: canaries.plant('ENV') };
    const key = canaries.plant('KEY');
    const sha256 = createHash('sha256').update(key).digest('hex');
    await writeProfiles(
      `profiles: { nightly: { apiKey: { store: env, name: API_KEY }, profileKeySha256: ${sha256} } }`,
    );
    const profiles = await CredentialProfiles.open(`${folder.path}/profiles.yaml`, {
      environment: environmentOfProfiles,
      onProblem: () => undefined,
    });
    const session = new PlatformSession(platform.baseUrl);
    await expect(profiles.loginFor('nightly', key)?.(session)).rejects.toThrow(LoginFailedError);
    const seen = inspect(profiles, { depth: null, showHidden: true }) + JSON.stringify(profiles);
    profiles.close();
    await session.close();
    expect(canaries.findIn(seen)).toEqual([]);
  });
});
