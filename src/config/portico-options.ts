import { type Environment, readEnvironment } from './environment.js';
import { nearMisses } from './near-misses.js';
import { checkSettings, SettingsError } from './parse-settings.js';
import { type Settings } from './settings.js';

/** The options of a program that mounts Portico, by topic: each stands for the setting beside it. */
export const OPTIONS = {
  platform: {
    baseUrl: 'PLATFORM_BASE_URL',
    headerVendor: 'PLATFORM_HEADER_VENDOR',
    maxRedirects: 'PLATFORM_MAX_REDIRECTS',
    tlsVerify: 'PLATFORM_TLS_VERIFY',
    tlsCert: 'PLATFORM_TLS_CERT',
    tlsKey: 'PLATFORM_TLS_KEY',
    allowInsecureTls: 'ALLOW_INSECURE_TLS',
    timeoutMs: 'PLATFORM_TIMEOUT_MS',
    maxAnswerBytes: 'PLATFORM_MAX_ANSWER_BYTES',
    proxyUrl: 'PLATFORM_PROXY_URL',
    transport: 'PLATFORM_TRANSPORT',
    applicationType: 'PLATFORM_APPLICATION_TYPE',
    iserverMessagesFile: 'ISERVER_MESSAGES_FILE',
  },
  embeddedPlatform: {
    run: 'EMBEDDED_PLATFORM',
    port: 'EMBEDDED_PLATFORM_PORT',
    path: 'EMBEDDED_PLATFORM_PATH',
    idleSeconds: 'EMBEDDED_PLATFORM_IDLE_SECONDS',
  },
  sessions: {
    store: 'SESSION_STORE',
    storePath: 'SESSION_STORE_PATH',
    redisUrl: 'REDIS_URL',
    redisSentinelPassword: 'REDIS_SENTINEL_PASSWORD',
    redisTlsCa: 'REDIS_TLS_CA',
    redisTlsCert: 'REDIS_TLS_CERT',
    redisTlsKey: 'REDIS_TLS_KEY',
    redisWaitReplicas: 'REDIS_WAIT_REPLICAS',
    redisTimeoutMs: 'REDIS_TIMEOUT_MS',
    maxPerAccount: 'SESSIONS_MAX_PER_ACCOUNT',
    keys: 'SESSION_KEYS',
    idleSeconds: 'SESSION_IDLE_SECONDS',
    maxSeconds: 'SESSION_MAX_SECONDS',
    header: 'SESSION_HEADER',
    origins: 'CORS_ORIGINS',
    cookieSite: 'SESSION_COOKIE_SITE',
    readReuseMs: 'READ_REUSE_MS',
  },
  credentials: { file: 'CREDENTIALS_FILE' },
  logins: {
    anonymous: 'ANONYMOUS_LOGIN',
    failuresPerMinute: 'LOGIN_FAILURES_PER_MINUTE',
    ratePerAddress: 'LOGIN_RATE_PER_ADDRESS',
    waitMs: 'LOGIN_WAIT_MS',
  },
  identityTokens: { allowed: 'IDENTITY_TOKENS', seconds: 'IDENTITY_TOKEN_SECONDS' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, keyof Settings>>>>;

type Topics = typeof OPTIONS;

/** The options of each topic. What is not given has the default of its setting (docs/configuration.md). */
type TopicOptions = {
  readonly [T in keyof Topics]?: {
    readonly [O in keyof Topics[T]]?: Topics[T][O] extends keyof Settings
      ? Readonly<Settings[Topics[T][O]]> | undefined
      : never;
  };
};

/** The options that are settings. */
export interface SettingOptions extends TopicOptions {
  /** Turns on the safe defaults, as `NODE_ENV=production` does: keys and a base URL are required. */
  readonly production?: boolean;
  /** Variables for what no option gives, by the names of the settings: see {@link fromEnvironment}. */
  readonly environment?: Environment;
  /** All settings, already checked; then nothing else is read. */
  readonly settings?: Settings;
}

/**
 * Options from the environment of this process and from `.env` in its working directory. Nothing is taken out of
 * `process.env`. Without it, `process.env` is not read.
 *
 * @throws EnvFileError
 */
export function fromEnvironment(environment: Environment = readEnvironment()): SettingOptions {
  return { environment };
}

/** The settings that were read once, before anything else is built. */
export interface ReadSettings {
  readonly settings: Settings;
  readonly environment: Environment;
  /** What the operator should know although the service starts. */
  readonly warnings: readonly string[];
}

/**
 * Checks the content of the files that settings name. Skips files that do not exist and settings that are not set.
 *
 * @returns the problems, each starting with the name of its setting
 */
export type FileCheck = (settings: Settings) => Promise<readonly string[]>;

/**
 * Reads the settings from options, by the checks of the settings.
 *
 * @param problemsInFiles what is wrong in the files that settings name; they are reported with everything else
 * @throws SettingsError that names every option and setting that cannot be used
 */
export async function readOptions(
  options: SettingOptions,
  problemsInFiles?: FileCheck,
): Promise<ReadSettings> {
  const { settings: given, environment = {} } = options;
  if (given !== undefined) return { settings: given, environment, warnings: [] };
  const { values, unknown } = valuesOf(options);
  const { settings, problems } = checkSettings(environment, values);
  const found = [...problems, ...((await problemsInFiles?.(settings)) ?? [])];
  const all = [...unknown, ...found.map((problem) => inOptionNames(problem, environment))];
  if (all.length > 0) throw new SettingsError(all);
  return { settings, environment, warnings: nearMisses(environment) };
}

/** The options as values of their settings, and the names that are not options. */
function valuesOf({ production, ...options }: SettingOptions): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly unknown: readonly string[];
} {
  const values: Record<string, unknown> =
    production === undefined ? {} : { NODE_ENV: production ? 'production' : 'development' };
  const unknown: string[] = [];
  for (const [topic, names] of Object.entries<Readonly<Record<string, string>>>(OPTIONS)) {
    const given = (options as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[topic];
    for (const [option, value] of Object.entries(given ?? {})) {
      const name = Object.hasOwn(names, option) ? names[option] : undefined;
      if (name === undefined) unknown.push(`${topic}.${option} is not an option`);
      else if (value !== undefined) values[name] = isTextInDisguise(value) ? String(value) : value;
    }
  }
  return { values, unknown };
}

/** No copy can be made of a URL, and no text of a symbol, where the settings are checked. */
function isTextInDisguise(value: unknown): value is URL | symbol {
  return value instanceof URL || typeof value === 'symbol';
}

const OPTION_NAMES = new Map<string, string>(
  Object.entries(OPTIONS).flatMap(([topic, names]) =>
    Object.entries(names).map(([option, name]): [string, string] => [name, `${topic}.${option}`]),
  ),
);

/** Names options instead of settings, except for the settings that the environment gives. */
function inOptionNames(problem: string, environment: Environment): string {
  return problem.replace(/\b[A-Z]+(?:_[A-Z]+)+\b/g, (name) =>
    environment[name] === undefined ? (OPTION_NAMES.get(name) ?? name) : name,
  );
}
