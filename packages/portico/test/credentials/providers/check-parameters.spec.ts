import { describe, expect, it } from 'vitest';
import {
  env,
  file,
  keyVault,
  KeyVaultSecret,
  parameterStore,
  ParameterStoreValues,
  secretManager,
  SecretManagerSecret,
  secretsManager,
  SecretsManagerSecret,
  vault,
  VaultSecret,
} from '../../../src/credentials/index.js';
import { STORES } from '../../../src/credentials/credential-source.js';
import { secretCanary } from '../../support/secrets/secret-canary.js';

/** As a program in JavaScript calls it. */
type Maker = (parameters?: unknown) => unknown;

const vaultUrl = 'https://example.vault.azure.net';
const MAKERS: Readonly<Record<string, Maker>> = {
  secretsManager: (parameters) => secretsManager(parameters as never),
  SecretsManagerSecret: (parameters) => new SecretsManagerSecret(parameters as never),
  parameterStore: (parameters) => parameterStore(parameters as never),
  keyVault: (parameters) => keyVault(parameters as never),
  KeyVaultSecret: (parameters) => new KeyVaultSecret(parameters as never),
  secretManager: (parameters) => secretManager(parameters as never),
  SecretManagerSecret: (parameters) => new SecretManagerSecret(parameters as never),
  vault: (parameters) => vault(parameters as never),
  VaultSecret: (parameters) => new VaultSecret(parameters as never),
  env: (parameters) => env(parameters as never),
  file: (parameters) => file(parameters as never),
};
const make = (name: string, parameters: unknown): unknown => MAKERS[name]?.(parameters);

/** Parameters that cannot be used, and which one the error names. */
const WRONG: readonly (readonly [maker: string, parameters: object, named: string])[] = [
  ['secretsManager', {}, 'secretId'],
  ['secretsManager', { secretId: '' }, 'secretId'],
  ['secretsManager', { secretId: 7 }, 'secretId'],
  ['secretsManager', { secretId: 's', regionName: 7 }, 'regionName'],
  ['secretsManager', { secretId: 's', ttlSeconds: '300' }, 'ttlSeconds'],
  ['secretsManager', { secretId: 's', ttlSeconds: Number.NaN }, 'ttlSeconds'],
  ['secretsManager', { secretId: 's', timeoutMs: 0 }, 'timeoutMs'],
  ['secretsManager', { secretId: 's', timeoutMs: '5000' }, 'timeoutMs'],
  ['secretsManager', { secretId: 's', clientOptions: 'eu' }, 'clientOptions'],
  ['secretsManager', { secretId: 's', key: 7 }, 'key'],
  ['SecretsManagerSecret', { secretid: 's' }, 'secretId'],
  ['parameterStore', {}, 'name'],
  ['keyVault', { vaultUrl: 'not a url', secretName: 's' }, 'vaultUrl'],
  ['keyVault', { vaultUrl: 'ftp://example', secretName: 's' }, 'vaultUrl'],
  ['keyVault', { vaultUrl: 'http://example', secretName: 's' }, 'vaultUrl'],
  ['keyVault', { vaultUrl: [vaultUrl], secretName: 's' }, 'vaultUrl'],
  ['keyVault', { vaultUrl: 'https://user@example', secretName: 's' }, 'vaultUrl'],
  ['keyVault', { vaultUrl: 'https://:password@example', secretName: 's' }, 'vaultUrl'],
  [
    'keyVault',
    { vaultUrl: 'ftp://example', secretName: 's', clientOptions: { allowInsecureConnection: true } },
    'vaultUrl',
  ],
  ['keyVault', { vaultUrl }, 'secretName'],
  ['KeyVaultSecret', { secretName: 's' }, 'vaultUrl'],
  ['secretManager', { secretId: 's' }, 'project'],
  ['secretManager', { project: 'p' }, 'secretId'],
  ['SecretManagerSecret', { project: 'p', secretId: 's', version: 3 }, 'version'],
  ['vault', {}, 'path'],
  ['vault', { path: '/leading' }, 'path'],
  ['vault', { path: 'a/../../sys' }, 'path'],
  ['vault', { path: 'p', kvVersion: 3 }, 'kvVersion'],
  ['vault', { path: 'p', version: '1' }, 'version'],
  ['vault', { path: 'p', address: 'https://user:password@vault' }, 'address'],
  ['vault', { path: 'p', address: 'vault' }, 'address'],
  ['vault', { path: 'p', address: ['https://vault'] }, 'address'],
  ['vault', { path: 'p', login: 'token' }, 'login'],
  ['vault', { path: 'p', login: { method: 'token', token: 7 } }, 'login.token'],
  ['vault', { path: 'p', login: { method: 'userpass' } }, 'login.method'],
  ['vault', { path: 'p', login: { method: 'token', token: '' } }, 'login.token'],
  ['VaultSecret', { path: 'p', login: { method: 'approle' } }, 'login.roleId'],
  ['VaultSecret', { path: 'p', login: { method: 'kubernetes', role: 7 } }, 'login.role'],
  ['env', {}, 'name'],
  ['env', { name: 'PASSWORD', environment: 'production' }, 'environment'],
  ['file', { path: undefined }, 'path'],
  ['file', { path: '/p', now: 0 }, 'now'],
];

/** Parameters with a name that is not known, and what the error says about that. */
const UNKNOWN: readonly (readonly [maker: string, parameters: object, name: string, advice: string])[] = [
  ['parameterStore', { name: 'n', key: 'password' }, 'key', 'known are name, regionName'],
  ['parameterStore', { name: 'n', region_name: 'eu-west-1' }, 'region_name', 'do you mean regionName?'],
  ['secretsManager', { secretid: 's' }, 'secretid', 'do you mean secretId?'],
  ['SecretsManagerSecret', { secretId: 's', key: 'password' }, 'key', 'known are secretId, regionName'],
  ['keyVault', { vaultUrl, secretName: 's', version: '1' }, 'version', 'known are vaultUrl, secretName'],
  ['KeyVaultSecret', { vaultURL: vaultUrl, secretName: 's' }, 'vaultURL', 'do you mean vaultUrl?'],
  ['secretManager', { project: 'p', secretId: 's', versions: '1' }, 'versions', 'do you mean version?'],
  ['SecretManagerSecret', { projectId: 'p', secretId: 's' }, 'projectId', 'do you mean project?'],
  ['vault', { path: 'p', kvversion: 1 }, 'kvversion', 'do you mean kvVersion?'],
  ['VaultSecret', { path: 'p', login: { method: 'token', Token: 't' } }, 'login.Token', 'do you mean token?'],
  ['env', { name: 'PASSWORD', ttlSeconds: 5 }, 'ttlSeconds', 'known are name, key, environment'],
  ['file', { path: '/p', timeout: 5 }, 'timeout', 'do you mean timeoutMs?'],
];

describe('a provider or group with unusable parameters', () => {
  it('is any of them: each store has its row', () => {
    const providers = STORES.map(({ name }) =>
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    );
    expect(
      providers.filter((name) => MAKERS[name] === undefined),
      'MAKERS has no row for them',
    ).toEqual([]);
    for (const [table, rows] of Object.entries({ WRONG, UNKNOWN })) {
      const names = rows.map(([name]) => name);
      expect(
        Object.keys(MAKERS).filter((name) => !names.includes(name)),
        `${table} has no row for them`,
      ).toEqual([]);
    }
  });

  it.each(Object.keys(MAKERS))('%s, takes one object', (name) => {
    for (const positional of ['prod/portico', undefined, null, 7])
      expect(() => make(name, positional)).toThrow(
        new TypeError(`${name} takes one object of named parameters`),
      );
  });

  it.each(WRONG)('%s(%j), says that it is %s', (name, parameters, parameter) => {
    expect(() => make(name, parameters)).toThrow(TypeError);
    expect(() => make(name, parameters)).toThrow(new RegExp(`: ${parameter} must be `));
  });

  it.each(UNKNOWN)(
    '%s(%j), says that %s is unknown and which name is meant',
    (name, parameters, unknown, advice) => {
      const act = (): unknown => make(name, parameters);
      expect(act).toThrow(TypeError);
      expect(act).toThrow(`${unknown} is not a known name; ${advice}`);
    },
  );

  it('lets a program pass on an option that it has not set, even where there is no such option', () => {
    expect(make('parameterStore', { name: 'n', key: undefined })).toBeInstanceOf(Function);
  });

  it.each([0, -7, 1.5, Number.NaN, '', null])('refuses %p as a project of Secret Manager', (project) => {
    expect(() => make('secretManager', { project, secretId: 's' })).toThrow(/: project must be /);
  });

  it('is also reported for the keys that a group is asked for', () => {
    expect(() => new SecretsManagerSecret({ secretId: 's' }).field(7 as never)).toThrow(/: key must be /);
    expect(() => new ParameterStoreValues().parameter('')).toThrow(/: name must be /);
    expect(() => new ParameterStoreValues({ regionName: '' })).toThrow(/: regionName must be /);
  });

  it('shows no value: it may be a secret in the wrong place', () => {
    const canary = secretCanary();
    for (const name of Object.keys(MAKERS)) {
      for (const wrong of [
        canary.value,
        { secretId: [canary.value], vaultUrl: canary.value, path: [canary.value] },
      ]) {
        let error: unknown;
        try {
          make(name, wrong);
        } catch (thrown) {
          error = thrown;
        }
        expect(error).toBeInstanceOf(TypeError);
        expect(canary.isIn(error)).toBe(false);
      }
    }
  });

  it.each([
    ['secretsManager', { secretId: 's', key: undefined, regionName: undefined, ttlSeconds: Infinity }],
    ['parameterStore', { name: 'n', timeoutMs: 1 }],
    ['keyVault', { vaultUrl, secretName: 's' }],
    [
      'keyVault',
      { vaultUrl: 'http://127.0.0.1:1', secretName: 's', clientOptions: { allowInsecureConnection: true } },
    ],
    ['secretManager', { project: 'p', secretId: 's', ttlSeconds: 0 }],
    ['secretManager', { project: 123, secretId: 's' }],
    ['vault', { path: 'p', login: { method: 'kubernetes', role: 'portico' }, kvVersion: 1 }],
    ['env', { name: 'PASSWORD' }],
    ['file', { path: '/p', now: Date.now }],
  ])('%s(%j) is accepted', (name, parameters) => {
    expect(make(name, parameters)).toBeInstanceOf(Function);
  });
});
