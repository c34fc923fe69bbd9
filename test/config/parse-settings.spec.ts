import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getMetadataStorage } from 'class-validator';
import { problemsInFiles } from '../../src/app/problems-in-files.js';
import { secretSettings, type SettingDescription, settingDescriptions } from '../../src/config/setting.js';
import { nearMisses } from '../../src/config/near-misses.js';
import { checkSettings, parseSettings, SettingsError } from '../../src/config/parse-settings.js';
import { Settings } from '../../src/config/settings.js';
import { tempFolder } from '../support/temp-folder.js';

/** A file that exists. */
const OWN_PATH = fileURLToPath(import.meta.url);
const KEY = `2026a:${randomBytes(32).toString('base64')}`;

const keyOf = (byte: (n: number) => number): string =>
  `2026a:${Buffer.from(Array.from({ length: 32 }, (_, n) => byte(n))).toString('base64')}`;
/** A key of one byte, again and again. */
const filled = (byte: number): string => keyOf(() => byte);

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('have the documented defaults in an empty environment', () => {
    expect(parseSettings({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 3000,
      PLATFORM_HEADER_VENDOR: 'SVC',
      PLATFORM_MAX_REDIRECTS: 30,
      PLATFORM_TLS_VERIFY: true,
      PLATFORM_TIMEOUT_MS: 8000,
      PLATFORM_APPLICATION_TYPE: 8,
      SESSION_IDLE_SECONDS: 3600,
      SESSION_MAX_SECONDS: 43200,
      ANONYMOUS_LOGIN: true,
      IDENTITY_TOKENS: false,
      OTEL_SDK_DISABLED: false,
      OTEL_PROPAGATE_TO_PLATFORM: false,
      introspection: true,
      runsEmbeddedPlatform: true,
    });
  });

  it('include numbers, flags, lists and paths', () => {
    expect(
      parseSettings({
        PORT: '0',
        PLATFORM_TIMEOUT_MS: '2500',
        PLATFORM_TLS_VERIFY: OWN_PATH,
        PERSISTED_DOCUMENTS: dirname(OWN_PATH),
        EMBEDDED_PLATFORM_PATH: '/analytics/api/',
        GRAPHQL_INTROSPECTION: 'false',
        CORS_ORIGINS: 'https://a.example, , https://b.example:8443',
      }),
    ).toMatchObject({
      PORT: 0,
      PLATFORM_TIMEOUT_MS: 2500,
      PERSISTED_DOCUMENTS: dirname(OWN_PATH),
      PLATFORM_TLS_VERIFY: OWN_PATH,
      EMBEDDED_PLATFORM_PATH: '/analytics/api',
      introspection: false,
      CORS_ORIGINS: ['https://a.example', 'https://b.example:8443'],
    });
  });

  it('count an empty value as not set', () => {
    const settings = parseSettings({ PORT: '', SESSION_KEYS: '', SESSION_KEYS_FILE: '' });
    expect(settings.PORT).toBe(3000);
    expect(settings.SESSION_KEYS).toBeUndefined();
  });

  it('are all checked together, and no error shows a value', () => {
    const problems = problemsOf({
      PORT: 'CANARY-PW-1',
      PLATFORM_BASE_URL: 'https://user:CANARY-PW-2@platform.example/api',
      SESSION_KEYS: 'CANARY-KEY-3',
      CORS_ORIGINS: 'https://a.example/CANARY-4',
      PLATFORM_TIMEOUT_MS: '-5',
      PLATFORM_TLS_VERIFY: '/CANARY-5/ca.pem',
      ISERVER_MESSAGES_FILE: '/CANARY-6.json',
      CREDENTIALS_FILE: '/CANARY-7',
      PERSISTED_DOCUMENTS: '/CANARY-8',
    });

    expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual([
      'CORS_ORIGINS',
      'CREDENTIALS_FILE',
      'ISERVER_MESSAGES_FILE',
      'PERSISTED_DOCUMENTS',
      'PLATFORM_BASE_URL',
      'PLATFORM_TIMEOUT_MS',
      'PLATFORM_TLS_VERIFY',
      'PORT',
      'SESSION_KEYS',
    ]);
    expect(problems.join()).not.toMatch(/CANARY|-5/);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '1.5'],
    ['PLATFORM_BASE_URL', 'platform.example/api'],
    ['PLATFORM_BASE_URL', 'file:///etc/passwd'],
    ['PLATFORM_BASE_URL', 'xhttps://platform.example'],
    ['PLATFORM_BASE_URL', 'https://platform.example/api?x=1'],
    ['PLATFORM_HEADER_VENDOR', 'S VC'],
    ['PLATFORM_TRANSPORT', 'axios'],
    ['PLATFORM_TIMEOUT_MS', '2147483648'],
    ['SESSION_STORE', 'no-such-store'],
    ['PLATFORM_PROXY_URL', 'proxy.example:3128'],
    ['PLATFORM_PROXY_URL', 'https://proxy.example'],
    ['PLATFORM_PROXY_URL', 'http://proxy.example/path'],
    ['PLATFORM_PROXY_URL', 'http://proxy.example/?query'],
    ['PLATFORM_PROXY_URL', 'http://proxy.example/#fragment'],
    ['PLATFORM_MAX_ANSWER_BYTES', '0'],
    ['REDIS_URL', 'redis.example:6379'],
    ['REDIS_URL', 'https://redis.example'],
    ['REDIS_URL', 'redis://redis.example/0?commandTimeout=60000'],
    ['REDIS_URL', 'redis://redis.example/sessions'],
    ['REDIS_URL', 'redis://one.example,two.example'],
    ['REDIS_URL', 'redis+sentinel://one.example:26379'],
    ['REDIS_URL', 'redis+sentinel://one.example:26379,/mymaster'],
    ['REDIS_URL', 'redis+sentinel://one.example:port/mymaster'],
    ['REDIS_URL', 'redis+cluster://one.example:6379/0'],
    ['REDIS_URL', 'redis+ring://one.example:6379'],
    ['REDIS_URL', 'redis://:%zz@one.example'],
    ['REDIS_TLS_CA', '/no/such/file'],
    ['REDIS_SENTINEL_PASSWORD', 'secret'],
    ['REDIS_WAIT_REPLICAS', '-1'],
    ['REDIS_TIMEOUT_MS', '9'],
    ['REDIS_TIMEOUT_MS', '60001'],
    ['SESSION_HEADER', 'not a header'],
    ['SESSION_KEYS', `${KEY},${KEY}`],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://a.example/'],
    ['GRAPHQL_INTROSPECTION', 'yes'],
    ['EMBEDDED_PLATFORM_PATH', 'api'],
    ['EMBEDDED_PLATFORM_PATH', '/'],
    ['EMBEDDED_PLATFORM', 'maybe'],
    ['CREDENTIALS_FILE', dirname(OWN_PATH)],
    ['PERSISTED_DOCUMENTS', OWN_PATH],
    ['METRICS_PORT', '3000'],
    ['METRICS_PORT', 'none'],
    ['LOG_LEVEL', 'loud'],
    ['ANONYMOUS_LOGIN', 'no'],
    ['LOGIN_FAILURES_PER_MINUTE', '0'],
    ['LOGIN_RATE_PER_ADDRESS', '-1'],
    ['LOGIN_WAIT_MS', '0'],
    ['PLATFORM_APPLICATION_TYPE', '-5'],
    ['NODE_ENV', 'Production'],
    ['NODE_ENV', 'prod'],
    ['NODE_ENV', 'staging'],
    ['PLATFORM_APPLICATION_TYPE', '-1'],
    ['PLATFORM_APPLICATION_TYPE', '65536'],
    ['SESSION_MAX_SECONDS', '9000000000000'],
    ['SESSION_IDLE_SECONDS', '31536001'],
    ['GRAPHQL_MAX_TOKENS', '1000000001'],
    ['FEDERATION_SECRET', 'ab'],
    ['FEDERATION_SECRET', 'sixteen characters'],
    ['SESSION_KEYS', filled(0)],
    ['SESSION_KEYS', filled(65)],
    ['SESSION_KEYS', keyOf((n) => n)],
    ['SESSION_KEYS', keyOf((n) => 255 - n)],
    ['SESSION_KEYS', keyOf((n) => (n * n + 1) % 16)],
    ['SESSION_KEYS', keyOf((n) => ((n % 16) * (n % 16) * 7) % 251)],
    ['SESSION_KEYS', `2026a:${Buffer.from('this is a 32 byte long password!').toString('base64')}`],
    ['FEDERATION_SECRET', 'a'.repeat(16)],
    ['FEDERATION_SECRET', 'ab'.repeat(8)],
    ['FEDERATION_SECRET', 'changemechangeme'],
    ['FEDERATION_SECRET', '0123456789abcdef'],
    ['FEDERATION_SECRET', 'abcdefghijklmnopqrstuvwxyz'],
    ['SESSION_HEADER', 'cookie'],
    ['SESSION_HEADER', 'Content-Type'],
    ['SESSION_HEADER', 'host'],
    ['SESSION_HEADER', 'X-Request-Id'],
    ['SESSION_HEADER', 'X-Forwarded-For'],
    ['SESSION_HEADER', 'X-Client-IP'],
    ['SESSION_HEADER', 'CF-Connecting-IP'],
    ['SESSION_HEADER', 'X-Requested-With'],
    ['SESSION_HEADER', 'b3'],
    ['SHUTDOWN_DELAY_SECONDS', '301'],
    ['NODE_ENV', 'PRODUCTION'],
    ['NODE_ENV', 'production '],
    ['NODE_ENV', 'dev'],
    ['PORT', ' '],
    ['PORT', '0x10'],
    ['PORT', '1e3'],
    ['PORT', '3000.0'],
    ['PORT', '٣٠٠٠'],
    ['PORT', 'Infinity'],
    ['LOGIN_RATE_PER_ADDRESS', ' '],
    ['HTTP_BODY_LIMIT_BYTES', '8'],
    ['GRAPHQL_MAX_ANSWER_BYTES', '8'],
    ['GRAPHQL_MAX_ANSWER_NODES', '0'],
    ['PLATFORM_TIMEOUT_MS', '8'],
    ['OTEL_TRACES_SAMPLER_ARG', ' '],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
    ['OTEL_TRACES_SAMPLER_ARG', '0x1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector.example:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a key without a name'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-api-key=a,b'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'name=ü'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'name=üa'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'name=aü'],
    ['HOST', '999.1.1.1'],
    ['HOST', '0.0.0.0:3000'],
    ['HOST', 'http://0.0.0.0'],
    ['HOST', '*'],
    ['HOST', '[::]'],
    ['METRICS_HOST', '127.1'],
    ['AUDIT_LOG', 'Off'],
    ['AUDIT_LOG', 'STDOUT'],
    ['AUDIT_LOG', 'none'],
    ['AUDIT_LOG', 'stderr'],
  ])('do not accept %s=%s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} `))]);
  });

  it.each([
    ['PORT', ['3000']],
    ['HOST', ['127.0.0.1']],
    ['AUDIT_LOG', 7],
    ['CORS_ORIGINS', 7],
    ['CORS_HEADERS', [7]],
    ['TRUSTED_PROXIES', [7]],
    ['PLATFORM_BASE_URL', ['https://platform.example/api']],
    ['PLATFORM_PROXY_URL', ['http://proxy.example']],
    ['ISERVER_MESSAGES_FILE', [OWN_PATH]],
    ['ISERVER_MESSAGES_FILE', 7],
    ['EMBEDDED_PLATFORM_PATH', 7],
    ['SESSION_KEYS', 7],
    ['REDIS_URL', ['redis://redis.example']],
    ['OTEL_TRACES_SAMPLER_ARG', 0.5],
    ['OTEL_EXPORTER_OTLP_HEADERS', 7],
  ])('do not accept %s as a value of another type, as a program could give it: %j', (name, value) => {
    expect(checkSettings({}, { [name]: value }).problems).toEqual([
      expect.stringMatching(new RegExp(`^${name} `)),
    ]);
  });

  it('are all described, and all checked', () => {
    const described = settingDescriptions().map(({ name }) => name);
    const checks = getMetadataStorage().getTargetValidationMetadatas(Settings, '', true, false);
    const checked = checks.map(({ propertyName }) => propertyName);
    const declared = [...checked, ...Object.keys(new Settings())];
    expect(
      declared.filter((name) => !described.includes(name)),
      'no @Setting says what they mean',
    ).toEqual([]);
    expect(
      described.filter((name) => !checked.includes(name)),
      'nothing checks their values',
    ).toEqual([]);
  });

  it('that name a file are all named when its content cannot be used', async () => {
    const folder = await tempFolder();
    const path = join(folder.path, 'file');
    await writeFile(path, randomBytes(3000));
    const names = settingDescriptions().map(({ name }) => name);
    const given = (value: string, to: string[]) => Object.fromEntries(to.map((name) => [name, value]));
    const files = checkSettings({}, given('/no/such/file', names)).problems.flatMap(
      (problem) => /^(\w+) must be the path of a readable file$/.exec(problem)?.[1] ?? [],
    );
    // Those of Redis are read when the store is opened, which is at start too.
    const others = files.filter((name) => !name.startsWith('REDIS_'));
    const { settings } = checkSettings({}, given(path, others));
    const problems = (await problemsInFiles(settings)).join('\n');
    await folder.remove();

    expect(others.length).toBeGreaterThan(2);
    expect(
      others.filter((name) => !problems.includes(name)),
      'src/app/problems-in-files.ts does not look into their files',
    ).toEqual([]);
  });

  it('require keys and a base URL in production, where introspection is off', () => {
    const names = problemsOf({ NODE_ENV: 'production' }).map((problem) => problem.split(' ')[0]);
    expect(names.sort()).toEqual(['PLATFORM_BASE_URL', 'SESSION_KEYS']);
    const settings = parseSettings({
      NODE_ENV: 'production',
      SESSION_KEYS: KEY,
      PLATFORM_BASE_URL: 'https://platform.example/api/',
    });
    expect(settings).toMatchObject({ introspection: false, runsEmbeddedPlatform: false });
  });

  it('keep serving for five seconds after the signal to stop in production, and not elsewhere', () => {
    const production = {
      NODE_ENV: 'production',
      SESSION_KEYS: KEY,
      PLATFORM_BASE_URL: 'https://platform.example/api',
    };
    expect(parseSettings(production).shutdownDelaySeconds).toBe(5);
    expect(parseSettings({ ...production, SHUTDOWN_DELAY_SECONDS: '0' }).shutdownDelaySeconds).toBe(0);
    expect(parseSettings({}).shutdownDelaySeconds).toBe(0);
    expect(parseSettings({ SHUTDOWN_DELAY_SECONDS: '7' }).shutdownDelaySeconds).toBe(7);
  });

  it('allow unverified TLS in production only with a second setting', () => {
    const production = {
      NODE_ENV: 'production',
      SESSION_KEYS: KEY,
      PLATFORM_BASE_URL: 'https://platform.example/api',
      PLATFORM_TLS_VERIFY: 'false',
    };
    expect(problemsOf(production)).toEqual([expect.stringMatching(/^PLATFORM_TLS_VERIFY /)]);
    expect(problemsOf({ ...production, ALLOW_INSECURE_TLS: 'true' })).toEqual([]);
    const byNode = { ...production, PLATFORM_TLS_VERIFY: 'true', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(problemsOf(byNode)).toEqual([expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED /)]);
    expect(problemsOf({ ...byNode, ALLOW_INSECURE_TLS: 'true' })).toEqual([]);
  });

  it('require the Redis URL with the Redis store, and never show it', () => {
    const redis = { SESSION_STORE: 'redis' };
    expect(problemsOf(redis)).toEqual(['REDIS_URL is required with SESSION_STORE=redis']);
    expect(problemsOf({ ...redis, REDIS_URL: 'rediss://portico:secret@redis.example:6380/2' })).toEqual([]);
    const problems = problemsOf({ ...redis, REDIS_URL: 'http://:CANARY-PW@redis.example' });
    expect(problems).toEqual([expect.stringMatching(/^REDIS_URL must be redis:/)]);
    expect(problems.join()).not.toContain('CANARY');
  });

  it('take certificates for a Redis with TLS only, and a password of sentinels only with sentinels', () => {
    const certificates = { REDIS_TLS_CA: OWN_PATH, REDIS_TLS_CERT: OWN_PATH, REDIS_TLS_KEY: OWN_PATH };
    expect(problemsOf({ REDIS_URL: 'rediss://redis.example', ...certificates })).toEqual([]);
    expect(problemsOf({ REDIS_URL: 'redis://redis.example', ...certificates })).toHaveLength(3);

    const sentinel = { REDIS_SENTINEL_PASSWORD: 'secret' };
    expect(problemsOf({ REDIS_URL: 'redis+sentinel://one.example/main', ...sentinel })).toEqual([]);
    expect(problemsOf({ REDIS_URL: 'redis://redis.example', ...sentinel })).toHaveLength(1);
  });

  it('require a base URL when the embedded platform is off', () => {
    expect(problemsOf({ EMBEDDED_PLATFORM: 'off' })).toEqual([expect.stringMatching(/^PLATFORM_BASE_URL /)]);
  });

  it.each(['Authorization', 'X-Portico-Session', 'X-Session', 'Session-Token'])(
    'accept %s as the header of a handle',
    (name) => {
      expect(problemsOf({ SESSION_HEADER: name })).toEqual([]);
    },
  );

  it.each([
    ['HOST', '0.0.0.0'],
    ['HOST', '::'],
    ['HOST', 'fe80::1%eth0'],
    ['HOST', 'Johns-Laptop.local'],
    ['METRICS_HOST', 'localhost'],
    ['AUDIT_LOG', '/var/log/portico/audit.log'],
    ['AUDIT_LOG', './off'],
    ['AUDIT_LOG', 'off'],
    ['FEDERATION_SECRET', '8f3a1c9e0b7d2645'],
    ['OTEL_TRACES_SAMPLER_ARG', '.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.0'],
    ['OTEL_TRACES_SAMPLER_ARG', '1'],
    ['OTEL_TRACES_SAMPLER_ARG', '.25'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'name=a'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-api-key=a=b, authorization = Bearer%20c'],
  ])('accept %s=%s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([]);
  });

  it('take every secret and key that a random generator makes', () => {
    for (let n = 0; n < 2000; n += 1) {
      const FEDERATION_SECRET = randomBytes(24).toString('base64');
      const SESSION_KEYS = `k:${randomBytes(32).toString('base64')}`;
      expect(problemsOf({ FEDERATION_SECRET, SESSION_KEYS })).toEqual([]);
    }
  });

  describe('that are secret', () => {
    let folder: Awaited<ReturnType<typeof tempFolder>>;
    beforeEach(async () => (folder = await tempFolder()));
    afterEach(() => folder.remove());

    const file = async (content: string): Promise<string> => {
      const path = join(folder.path, 'secret');
      await writeFile(path, content);
      return path;
    };

    it.each([
      ['SESSION_KEYS', KEY],
      ['FEDERATION_SECRET', 'sixteen-letters-'],
      ['PLATFORM_PROXY_URL', 'http://portico:password@proxy.example:3128'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'x-api-key=of-the-collector'],
      ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'x-api-key=of-the-collector'],
      ['OTEL_EXPORTER_OTLP_METRICS_HEADERS', 'x-api-key=of-the-collector'],
      ['REDIS_URL', 'rediss://portico:password@redis.example'],
    ])('come from the file of %s_FILE, without its line break', async (name, secret) => {
      expect(parseSettings({ [`${name}_FILE`]: await file(`${secret}\n`) })).toMatchObject({
        [name]: secret,
      });
    });

    it('include every one whose name or example says so', () => {
      const isTold = ({ name, example = '' }: SettingDescription): boolean =>
        /(?:SECRET|PASSWORD|KEYS|TOKEN)$/.test(name) || /^<|:[^/]+@/.test(example);
      const names = settingDescriptions().flatMap((setting) => (isTold(setting) ? [setting.name] : []));
      expect(
        names.filter((name) => !secretSettings().has(name)),
        'they are not marked as @Secret()',
      ).toEqual([]);
    });

    it('are empty in the environment where their file is set', async () => {
      const SESSION_KEYS_FILE = await file(KEY);
      expect(parseSettings({ SESSION_KEYS: '', SESSION_KEYS_FILE }).SESSION_KEYS).toBe(KEY);
    });

    it('count as set by their file when they are required', async () => {
      const REDIS_URL_FILE = await file('redis://redis.example');
      expect(problemsOf({ SESSION_STORE: 'redis', REDIS_URL_FILE })).toEqual([]);
    });

    it.each([
      ['is empty', '', /^(\w+)_FILE must be the path of a readable file that is not empty$/],
      ['is blank', ' \n', /^(\w+)_FILE must be the path of a readable file that is not empty$/],
      ['is binary', randomBytes(3000), /^(\w+)_FILE: the content must be /],
    ])('are named, each of them, when their file %s', async (_what, content, message) => {
      const path = join(folder.path, 'secret');
      await writeFile(path, content);
      const names = [...secretSettings()];
      const problems = problemsOf(Object.fromEntries(names.map((name) => [`${name}_FILE`, path])));
      const named = problems.map((problem) => message.exec(problem)?.[1]);
      expect(
        names.filter((name) => !named.includes(name)),
        'their checks take anything: see @Matching',
      ).toEqual([]);
      expect(problems).toHaveLength(names.length);
    });

    it('are named, each of them, when their file is a folder or is missing', () => {
      const names = [...secretSettings()];
      for (const path of [folder.path, join(folder.path, 'missing')]) {
        const problems = problemsOf(Object.fromEntries(names.map((name) => [`${name}_FILE`, path])));
        expect(problems).toHaveLength(names.length);
      }
    });

    it('are named with what is wrong in their file, once, and never shown', async () => {
      const problems = problemsOf({
        NODE_ENV: 'production',
        PLATFORM_BASE_URL: 'https://platform.example/api',
        SESSION_KEYS_FILE: join(folder.path, 'CANARY'),
        FEDERATION_SECRET_FILE: await file('CANARY'),
        REDIS_URL: 'redis://CANARY.example',
        REDIS_URL_FILE: await file('CANARY'),
      });
      expect([...problems].sort()).toEqual([
        expect.stringMatching(/^FEDERATION_SECRET_FILE: the content must be /),
        'REDIS_URL and REDIS_URL_FILE are both set: keep one of them',
        expect.stringMatching(/^REDIS_URL_FILE: the content must be /),
        expect.stringMatching(/^SESSION_KEYS_FILE must be the path of /),
      ]);
      expect(problems.join()).not.toContain('CANARY');
    });
  });
});

describe('variables that look like settings', () => {
  it.each([
    ['PLATFROM_BASE_URL', 'PLATFORM_BASE_URL'],
    ['platform_base_url', 'PLATFORM_BASE_URL'],
    ['PLATFORM-BASE-URL', 'PLATFORM_BASE_URL'],
    ['PLATFORM_TIMEOUT', 'PLATFORM_TIMEOUT_MS'],
    ['SESSION_KEY', 'SESSION_KEYS'],
    ['SESSION_KEYS_FILES', 'SESSION_KEYS_FILE'],
    ['NODE_EVN', 'NODE_ENV'],
    ['Port', 'PORT'],
    ['PROT', 'PORT'],
    ['HSOT', 'HOST'],
    ['POTR', 'PORT'],
    ['NODE_ENVS', 'NODE_ENV'],
    ['SESION_HEDERS', 'SESSION_HEADER'],
    ['PLATFORM_URL', 'PLATFORM_BASE_URL'],
    ['PLATFORM_VENDOR', 'PLATFORM_HEADER_VENDOR'],
    ['PLATFORM_BASEURL', 'PLATFORM_BASE_URL'],
    ['PLATFORM_BASE_URL_FILE', 'PLATFORM_BASE_URL'],
    ['TRUST_PROXY_HOPS', 'TRUSTED_PROXIES'],
  ])('are reported: %s, where %s is meant', (written, meant) => {
    expect(nearMisses({ [written]: 'CANARY' })).toEqual([
      `${written} is not a setting and has no effect: do you mean ${meant}?`,
    ]);
  });

  it('do not include the settings themselves or variables of other programs', () => {
    const others = [
      'HOSTNAME',
      'BASE_URL',
      'PLATFORM_BASE',
      'NOPROXY',
      'POST',
      'NODE_OPTIONS',
      'SESSION_MANAGER',
      'REDIS_PORT',
      'PORTICO_PORT',
      'PATH',
      'no_proxy',
      'OTEL_EXPORTER_OTLP_TIMEOUT',
      'OTEL_SERVICE_NAME',
      'OTEL_LOGS_EXPORTER',
    ];
    const own = ['PORT', 'REDIS_URL', 'REDIS_URL_FILE', 'NODE_ENV'];
    expect(nearMisses(Object.fromEntries([...others, ...own].map((name) => [name, 'x'])))).toEqual([]);
  });
});
