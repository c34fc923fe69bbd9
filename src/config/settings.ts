import 'reflect-metadata';
import { IsIn, IsOptional, IsString } from 'class-validator';
import {
  CommaList,
  Flag,
  isOrigin,
  isPlainHttpUrl,
  isRedisUrl,
  Matching,
  Rule,
  TrueOrFalse,
  WholeNumber,
  WithoutFinalSlash,
} from './checks.js';
import { isReadableFile, ReadableFile, ReadableFolder } from './file-checks.js';
import { isKeyList } from './key-list.js';
import { Setting } from './setting.js';

/** Timers take no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Every setting of the service, by the name it has in the environment.
 * Each has its default here; `docs/configuration.md` and `.env.example` are generated from this class.
 */
export class Settings {
  @Setting(
    '`production` switches the safe defaults on: no introspection, no embedded platform, keys required',
  )
  @IsString()
  NODE_ENV = 'development';

  @Setting('the address where the service listens')
  @IsString()
  HOST = '127.0.0.1';

  @Setting('the port where the service listens; `0`: any free port')
  @WholeNumber(0, 65535)
  PORT = 3000;

  @Setting(
    'the REST root of the platform, with or without a final `/`; none: the embedded platform',
    'https://analytics.example/MicroStrategyLibrary/api',
  )
  @Rule(
    'must be an http or https URL without user, query or fragment',
    (value) => value === undefined || isPlainHttpUrl(value),
  )
  @Rule(
    'is required: there is no embedded platform in production unless EMBEDDED_PLATFORM=on, and none with EMBEDDED_PLATFORM=off',
    (value, settings: Settings) =>
      value !== undefined ||
      (settings.EMBEDDED_PLATFORM === 'auto' ? !settings.production : settings.EMBEDDED_PLATFORM !== 'off'),
  )
  PLATFORM_BASE_URL?: string;

  @Setting('the vendor segment of the header names `X-<vendor>-…`; the best-known deployment uses `MSTR`')
  @Matching(/^[A-Za-z0-9]{1,32}$/, 'must be 1 to 32 letters or digits')
  PLATFORM_HEADER_VENDOR = 'SVC';

  @Setting('redirects that one call may follow; one more is a too-many-redirects error')
  @WholeNumber(0, 100)
  PLATFORM_MAX_REDIRECTS = 30;

  @Setting(
    '`true`, `false` (testing only; in production it also needs `ALLOW_INSECURE_TLS=true`), or the path of a CA bundle',
  )
  @TrueOrFalse()
  @Rule(
    'must be true, false, or the path of a file that can be read',
    (value) => typeof value === 'boolean' || isReadableFile(value),
  )
  @Rule(
    'may be false in production only together with ALLOW_INSECURE_TLS=true',
    (value, { production, ALLOW_INSECURE_TLS }: Settings) =>
      value !== false || !production || ALLOW_INSECURE_TLS,
  )
  PLATFORM_TLS_VERIFY: boolean | string = true;

  @Setting('allows `PLATFORM_TLS_VERIFY=false` and `NODE_TLS_REJECT_UNAUTHORIZED=0` in production')
  @Flag()
  ALLOW_INSECURE_TLS = false;

  @Setting('milliseconds for one platform call, redirects and retries included')
  @WholeNumber(1, LONGEST_TIMER_MS)
  PLATFORM_TIMEOUT_MS = 8000;

  @Setting('the HTTP library of the platform client: `got` or `undici`; same behaviour, other cost')
  @IsIn(['got', 'undici'])
  PLATFORM_TRANSPORT: 'got' | 'undici' = 'got';

  @Setting('`applicationType` of a login that names none')
  @WholeNumber()
  PLATFORM_APPLICATION_TYPE = 8;

  @Setting(
    'a JSON file of further back-end codes and their messages: `{"-2147216959": "text"}`',
    'iserver-messages.json',
  )
  @ReadableFile()
  ISERVER_MESSAGES_FILE?: string;

  @Setting('where sessions are kept: `embedded` (a durable file, one instance) or `redis` (many instances)')
  @IsIn(['embedded', 'redis'])
  SESSION_STORE: 'embedded' | 'redis' = 'embedded';

  @Setting("the embedded store's file")
  @IsString()
  SESSION_STORE_PATH = 'data/sessions.db';

  @Setting(
    'the Redis of the sessions, `rediss://` for TLS; required with `SESSION_STORE=redis`',
    'rediss://portico:password@redis.example:6379/0',
  )
  @Rule(
    'must be redis:// or rediss:// with a host, and at most user, password, port and database number',
    (value) => value === undefined || isRedisUrl(value),
  )
  @Rule(
    'is required with SESSION_STORE=redis',
    (value, settings: Settings) => value !== undefined || settings.SESSION_STORE !== 'redis',
  )
  REDIS_URL?: string;

  @Setting(
    'a list of `kid:base64(32 bytes)`, newest first, that seals the sessions; required in production, else one is made and kept beside the store',
    '2026a:<the output of: openssl rand -base64 32>',
  )
  @Rule(
    'must be a comma list of kid:base64 with 32 bytes each and no kid twice',
    (value) => value === undefined || isKeyList(value),
  )
  @Rule('is required in production', (value, { production }: Settings) => value !== undefined || !production)
  SESSION_KEYS?: string;

  @Setting('seconds after which an unused handle ends')
  @WholeNumber(1)
  SESSION_IDLE_SECONDS = 3600;

  @Setting('seconds after which a handle ends in any case')
  @WholeNumber(1)
  SESSION_MAX_SECONDS = 43200;

  @Setting(
    "the request header that carries `Bearer <handle>`; another name where a router's own token owns that one",
  )
  @Matching(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'must be the name of an HTTP header')
  SESSION_HEADER = 'authorization';

  @Setting(
    'exact origins, separated by commas, that browsers may call from with credentials',
    'https://dashboard.example',
  )
  @CommaList()
  @Rule(
    'must be a comma list of exact origins such as https://dashboard.example',
    (value) => Array.isArray(value) && value.every(isOrigin),
  )
  CORS_ORIGINS: string[] = [];

  @Setting(
    'a YAML file of credential profiles, watched: a valid change is taken without a restart; see docs/credentials.md',
    '/etc/portico/profiles.yaml',
  )
  @ReadableFile()
  CREDENTIALS_FILE?: string;

  @Setting('`true` or `false`: introspection and the console; none: on, in production off')
  @IsOptional()
  @Flag()
  GRAPHQL_INTROSPECTION?: boolean;

  @Setting(
    'when set, `_service` and `_entities` need the header `X-Federation-Secret` with it; in production they are off without it',
    '<the output of: openssl rand -base64 32>',
  )
  @Matching(
    /^[\x21-\x7e]+$/,
    'must be of printable ASCII characters without spaces, as a header can carry it',
  )
  FEDERATION_SECRET?: string;

  @Setting('entities that one operation may ask for by their keys')
  @WholeNumber(1)
  FEDERATION_MAX_REPRESENTATIONS = 100;

  @Setting(
    'prefix of the root fields, for graphs whose `me` and `projects` are taken: with `analytics` they are `analyticsMe` and `analyticsProjects`',
    'analytics',
  )
  @Matching(/^[A-Za-z][A-Za-z0-9]{0,31}$/, 'must be a letter and then letters or digits, 32 at the most')
  FIELD_PREFIX?: string;

  @Setting('bytes of one request body')
  @WholeNumber(1)
  HTTP_BODY_LIMIT_BYTES = 65536;

  @Setting('tokens of one GraphQL document')
  @WholeNumber(1)
  GRAPHQL_MAX_TOKENS = 1000;

  @Setting('levels of fields; introspection may have 16 in any case')
  @WholeNumber(1)
  GRAPHQL_MAX_DEPTH = 6;

  @Setting('selections of one field in one place, by whatever aliases')
  @WholeNumber(1)
  GRAPHQL_MAX_ALIASES = 15;

  @Setting('directives of one document')
  @WholeNumber(0)
  GRAPHQL_MAX_DIRECTIVES = 10;

  @Setting('root fields of one operation')
  @WholeNumber(1)
  GRAPHQL_MAX_ROOT_FIELDS = 20;

  @Setting('cost of one document: 1 a field, 10 a JSON object, times 10 for each list around it')
  @WholeNumber(1)
  GRAPHQL_MAX_COST = 1000;

  @Setting(
    'failed logins of one account in a minute before `RATE_LIMITED`; five times as many for one address; successful logins are not limited',
  )
  @WholeNumber(1)
  LOGIN_FAILURES_PER_MINUTE = 10;

  @Setting(
    'a folder of GraphQL documents, one a `.graphql` file: when set, nothing else runs',
    'persisted-documents',
  )
  @ReadableFolder()
  PERSISTED_DOCUMENTS?: string;

  @Setting('how many `X-Forwarded-*` hops to believe')
  @WholeNumber(0, 16)
  TRUST_PROXY_HOPS = 0;

  @Setting('`auto` (only without a base URL and not in production), `on` or `off`')
  @IsIn(['auto', 'on', 'off'])
  EMBEDDED_PLATFORM: 'auto' | 'on' | 'off' = 'auto';

  @Setting("the embedded platform's port, always on loopback; `0`: any free port (`npm run platform`: 3100)")
  @WholeNumber(0, 65535)
  EMBEDDED_PLATFORM_PORT = 0;

  @Setting("the embedded platform's context path")
  @WithoutFinalSlash()
  @Matching(/^(\/[A-Za-z0-9._-]+)+$/, 'must be a path such as /api')
  EMBEDDED_PLATFORM_PATH = '/api';

  @Setting('seconds of idleness after which an embedded platform session times out')
  @WholeNumber(1)
  EMBEDDED_PLATFORM_IDLE_SECONDS = 1800;

  @Setting('`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`: JSON lines on stdout')
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  LOG_LEVEL: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' = 'info';

  @Setting(
    'the port where `GET /metrics` answers in the Prometheus text format, on `HOST`; none: no metrics; `0`: any free port',
    '9464',
  )
  @IsOptional()
  @WholeNumber(0, 65535)
  @Rule(
    'must be another port than PORT',
    (value, settings: Settings) => value === undefined || value === 0 || value !== settings.PORT,
  )
  METRICS_PORT?: number;

  /** True unless the environment is production or says otherwise. */
  get introspection(): boolean {
    return this.GRAPHQL_INTROSPECTION ?? !this.production;
  }

  /** Where the documents that may run are listed, those of the console are not among them. */
  get hasConsole(): boolean {
    return this.introspection && this.PERSISTED_DOCUMENTS === undefined;
  }

  /** True when the service runs its own platform; it is used only where no base URL is set. */
  get runsEmbeddedPlatform(): boolean {
    return (
      this.EMBEDDED_PLATFORM === 'on' ||
      (this.EMBEDDED_PLATFORM === 'auto' && this.PLATFORM_BASE_URL === undefined)
    );
  }

  get usesEmbeddedPlatform(): boolean {
    return this.runsEmbeddedPlatform && this.PLATFORM_BASE_URL === undefined;
  }

  get production(): boolean {
    return this.NODE_ENV === 'production';
  }
}
