import { describe, expect, it } from 'vitest';
import * as credentials from '../../src/credentials/index.js';
import { parseProfiles, problemsInProfiles } from '../../src/credentials/parse-profiles.js';
import { STORES as DEFINITIONS } from '../../src/credentials/credential-source.js';
import { secretCanary } from '../support/secrets/secret-canary.js';
import { textFile } from '../support/text-file.js';

const { CredentialProfilesError } = credentials;

const STORES = DEFINITIONS.map(({ name }) => name).join(', ');

const HASH = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';
const KEY = `profileKeySha256: ${HASH}`;

const NOT_ONE_LOGIN = 'profiles.nightly: needs either apiKey, or username, with password if the user has one';

function problemsOf(text: string): readonly string[] {
  try {
    parseProfiles('profiles.yaml', text);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(CredentialProfilesError);
    return (error as credentials.CredentialProfilesError).problems;
  }
}

const profile = (lines: string): string =>
  `profiles:\n  nightly:\n    ${KEY}\n${lines.replace(/^/gm, '    ')}\n`;

describe('a file of credential profiles', () => {
  it('names where each credential comes from, and the hash of the key that opens the profile', () => {
    const profiles = parseProfiles(
      'profiles.yaml',
      `
profiles:
  nightly-dashboard:
    username: { store: secrets_manager, secretId: prod/portico, key: username, regionName: eu-west-1 }
    password: { store: parameter_store, name: /prod/portico/password }
    mode: ldap
    applicationType: 35
    ttlSeconds: 300
    ${KEY}
  reports:
    apiKey: { store: secret_manager, project: 123456, secretId: portico, version: 3 }
    ${KEY}
`,
    );

    expect(JSON.parse(JSON.stringify([...profiles]))).toEqual([
      [
        'nightly-dashboard',
        {
          username: {
            store: 'secrets_manager',
            secretId: 'prod/portico',
            key: 'username',
            regionName: 'eu-west-1',
          },
          password: { store: 'parameter_store', name: '/prod/portico/password' },
          mode: 'ldap',
          applicationType: 35,
          ttlSeconds: 300,
          profileKeySha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
        },
      ],
      [
        'reports',
        {
          apiKey: { store: 'secret_manager', project: 123456, secretId: 'portico', version: 3 },
          profileKeySha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
        },
      ],
    ]);
  });

  it('may have no profiles yet', () => {
    expect(parseProfiles('profiles.yaml', 'profiles: {}').size).toBe(0);
  });

  it.each([
    'apiKey: { store: env, name: K }\nmode: standard',
    'username: { store: env, name: U }\napplicationType: 65535\nttlSeconds: 0',
  ])('may have %j', (lines) => {
    expect(problemsOf(profile(lines))).toEqual([]);
  });

  it.each([`'[${HASH}]'`, `x${HASH}`, `${HASH}x`, `[${HASH}]`])(
    'has the hash of a key and nothing else: not %s',
    (hash) => {
      expect(
        problemsOf(`profiles: { a: { apiKey: { store: env, name: K }, profileKeySha256: ${hash} } }`),
      ).toEqual(['profiles.a.profileKeySha256: must be a SHA-256 in hexadecimal']);
    },
  );

  it('has all of its faults reported at once, each by its path', () => {
    const problems = problemsOf(`
profiles:
  nightly:
    username: { store: secrets_managr, secretId: prod/portico }
    pasword: { store: env, name: PORTICO_PASSWORD }
    ttlSeconds: soon
    profileKeySha256: foo
  reports:
    apiKey: { store: key_vault, vaultUrl: "http://vault.example", secretName: "", color: red }
    ${KEY}
  "bad name": { apiKey: { store: file, path: 7 }, ${KEY} }
  nobody: text
`);

    expect(problems.map((problem) => problem.split(': ')[0])).toEqual([
      'profiles.nightly.username.store',
      'profiles.nightly.profileKeySha256',
      'profiles.nightly.ttlSeconds',
      'profiles.nightly.pasword',
      'profiles.reports.apiKey.vaultUrl',
      'profiles.reports.apiKey.secretName',
      'profiles.reports.apiKey.color',
      'profiles["bad name"]',
      'profiles["bad name"].apiKey.path',
      'profiles.nobody',
    ]);
  });

  it.each([
    ['has no credential', '', NOT_ONE_LOGIN],
    ['has a password for nobody', 'password: { store: env, name: P }', NOT_ONE_LOGIN],
    [
      'has two ways to log in',
      'apiKey: { store: env, name: K }\nusername: { store: env, name: U }',
      NOT_ONE_LOGIN,
    ],
    [
      'forgot the password behind its name, which would log in as a trusted user',
      'username: { store: env, name: U }\npassword:',
      'profiles.nightly.password: must be an object',
    ],
    [
      'has a login mode that does not exist',
      'username: { store: env, name: U }\nmode: LDAP',
      'profiles.nightly.mode: must be one of standard, ldap',
    ],
    [
      'looks for a user in LDAP without a password',
      'username: { store: env, name: U }\nmode: ldap',
      'profiles.nightly.mode: ldap needs username and password, and no apiKey',
    ],
    [
      'looks for an API key in LDAP',
      'apiKey: { store: env, name: K }\nmode: ldap',
      'profiles.nightly.mode: ldap needs username and password, and no apiKey',
    ],
    [
      'has an API key and a password',
      'apiKey: { store: env, name: K }\npassword: { store: env, name: P }',
      NOT_ONE_LOGIN,
    ],
    [
      'looks for nobody in LDAP',
      'password: { store: env, name: P }\nmode: ldap',
      `profiles.nightly.mode: ldap needs username and password, and no apiKey,${NOT_ONE_LOGIN}`,
    ],
    [
      'looks for a user with an API key in LDAP',
      'username: { store: env, name: U }\npassword: { store: env, name: P }\napiKey: { store: env, name: K }\nmode: ldap',
      `profiles.nightly.mode: ldap needs username and password, and no apiKey,${NOT_ONE_LOGIN}`,
    ],
    [
      'has a number of an application that is too large',
      'username: { store: env, name: U }\napplicationType: 65536',
      'profiles.nightly.applicationType: must be a whole number from 0 to 65535',
    ],
    [
      'has a time before now',
      'username: { store: env, name: U }\nttlSeconds: -1',
      'profiles.nightly.ttlSeconds: must be a whole number from 0 to 86400',
    ],
    [
      'has a list of stores',
      'apiKey: { store: [env], name: K }',
      `profiles.nightly.apiKey.store: must be one of ${STORES}`,
    ],
    [
      'has the number of an application as a text',
      'username: { store: env, name: U }\napplicationType: "8"',
      'profiles.nightly.applicationType: must be a whole number from 0 to 65535',
    ],
    [
      'has a part of a second',
      'username: { store: env, name: U }\nttlSeconds: 1.5',
      'profiles.nightly.ttlSeconds: must be a whole number from 0 to 86400',
    ],
    [
      'has a vault without TLS',
      'apiKey: { store: key_vault, vaultUrl: "http://vault.example", secretName: s }',
      'profiles.nightly.apiKey.vaultUrl: must be an address that starts with https:// and contains no login',
    ],
    [
      'leaves a name out',
      'apiKey: { store: secrets_manager }',
      'profiles.nightly.apiKey.secretId: must be a string that is not empty',
    ],
    [
      'has a name that is not its own',
      'apiKey: { store: env, name: K, constructor: 1 }',
      'profiles.nightly.apiKey.constructor: is not a known name; known are name, key',
    ],
    [
      'asks for a key of a store that has none',
      'apiKey: { store: parameter_store, name: /prod/key, key: password }',
      'profiles.nightly.apiKey.key: is not a known name; known are name, regionName',
    ],
    [
      'spells a name in the way of the specification',
      'apiKey: { store: secrets_manager, secretId: s, region_name: eu-west-1 }',
      'profiles.nightly.apiKey.region_name: is not a known name; do you mean regionName?',
    ],
    [
      'misspells a name of its own',
      'apiKey: { store: env, name: K }\nttlSecond: 60',
      'profiles.nightly.ttlSecond: is not a known name; do you mean ttlSeconds?',
    ],
    [
      'names a store after something that every object has',
      'apiKey: { store: constructor, name: K }',
      `profiles.nightly.apiKey.store: must be one of ${STORES}`,
    ],
    [
      'has a secret of Vault in the file',
      'apiKey: { store: vault, path: p, login: { method: token, token: t } }',
      'profiles.nightly.apiKey.login.tokenFile: must be a string that is not empty,profiles.nightly.apiKey.login.token: is not a known name; do you mean tokenFile?',
    ],
    [
      'leaves the path of its secret',
      'apiKey: { store: vault, path: ../../sys/seal-status }',
      'profiles.nightly.apiKey.path: must be a path without empty parts, "." and ".."',
    ],
    [
      'has a number for a path',
      'apiKey: { store: file, path: 7 }',
      'profiles.nightly.apiKey.path: must be a string that is not empty',
    ],
  ])('refuses a profile that %s', (_, lines, problem) => {
    expect(problemsOf(profile(lines)).join()).toBe(problem);
  });

  it.each([
    ['nothing', '', 'profiles: is missing'],
    ['a list', '- profiles', 'profiles: is missing'],
    ['another name', 'profiles: {}\nprofile: {}', 'profile: is not a known name; do you mean profiles?'],
    ['a list of profiles', 'profiles: []', 'profiles: must be an object of profiles by name'],
    ['broken YAML', 'profiles:\n  a: [', 'line 2: BAD_INDENT'],
    ['a name twice', 'profiles:\n  a: 1\n  a: 2', 'line 3: DUPLICATE_KEY'],
    ['an alias of nothing', 'profiles: *nothing', 'an alias cannot be resolved'],
    ['two documents', 'profiles: {}\n---\nprofiles: {}', 'line 2: MULTIPLE_DOCS'],
  ])('refuses %s', (_, text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });

  it.each([
    ['in the place of a source', (canary: string) => profile(`password: ${canary}`)],
    ['in the place of a list', (canary: string) => profile(`password: [${canary}]`)],
    [
      'in the place of a login',
      (canary: string) => profile(`apiKey: { store: vault, path: p, login: ${canary} }`),
    ],
    ['in the place of a store', (canary: string) => profile(`password: { store: ${canary} }`)],
    [
      'in the place of an address',
      (canary: string) =>
        profile(`apiKey: { store: key_vault, vaultUrl: "https://u:${canary}@h", secretName: s }`),
    ],
    ['in the place of a hash', (canary: string) => `profiles: { a: { profileKeySha256: ${canary} } }`],
    ['in the place of a number', (canary: string) => profile(`ttlSeconds: ${canary}`)],
    ['in the place of a profile', (canary: string) => `profiles: { a: ${canary} }`],
    ['in the place of all profiles', (canary: string) => `profiles: ${canary}`],
    ['in the place of the file', (canary: string) => canary],
    ['as an alias', (canary: string) => `profiles: *${canary}`],
    ['as a tag', (canary: string) => `profiles: !${canary} {}`],
    ['in an unclosed text', (canary: string) => `profiles: "${canary}`],
    ['in a wrong indent', (canary: string) => `profiles:\n  a: b\n c: ${canary}`],
  ])('never shows a secret that was written %s', (_, write) => {
    const canary = secretCanary();
    const parse = () => parseProfiles('profiles.yaml', write(canary.value));

    let error: unknown;
    try {
      parse();
    } catch (thrown) {
      error = thrown;
    }

    expect(error).toBeInstanceOf(CredentialProfilesError);
    expect(canary.isIn(error)).toBe(false);
  });
});

describe('the problems of the file that the setting names', () => {
  it('are those of its profiles, each with the name of the setting', async () => {
    const CREDENTIALS_FILE = textFile('profiles.yaml', 'profiles: { a: 1, b: 2 }');

    expect(await problemsInProfiles({ CREDENTIALS_FILE })).toEqual([
      'CREDENTIALS_FILE: profiles.a: must be an object',
      'CREDENTIALS_FILE: profiles.b: must be an object',
    ]);
  });

  it.each([
    ['there is no setting', undefined],
    ['there is no file', '/no/such/file'],
    ['the file can be used', textFile('profiles.yaml', 'profiles: {}')],
  ])('are none where %s', async (_what, CREDENTIALS_FILE) => {
    expect(await problemsInProfiles({ CREDENTIALS_FILE })).toEqual([]);
  });
});
