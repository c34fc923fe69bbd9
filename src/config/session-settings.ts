import { IsIn, IsOptional, IsString } from 'class-validator';
import { LONGEST_TIMER_MS, Matching, ReadableFile, Rule, WholeNumber } from './checks.js';
import { type HttpSettings } from './http-settings.js';
import { isKeyList } from './key-list.js';
import { hasOtherMeaning } from './network-checks.js';
import { parseRedisUrl, type RedisPlace } from './redis-url.js';
import { Secret, Setting } from './setting.js';
import { isProduction, type ServiceSettings } from './service-settings.js';

/** The kinds of stores, each with what it is. The file of its name opens it. */
export const SESSION_STORES = {
  embedded: 'a durable file, one instance',
  redis: 'many instances',
} as const;

const YEAR_SECONDS = 365 * 24 * 3600;
const MOST_REPLICAS = 9;
/** As many as the store lists for one account. */
const MOST_PER_ACCOUNT = 500;

const NEEDS_TLS = [
  'needs a REDIS_URL with TLS (rediss://)',
  (value: unknown, settings: SessionSettings): boolean =>
    value === undefined || placeOf(settings)?.isTls === true,
] as const;

function placeOf({ REDIS_URL: url }: SessionSettings): RedisPlace | undefined {
  return parseRedisUrl(url);
}

export type SessionStoreKind = keyof typeof SESSION_STORES;

/** In milliseconds. Enough within one network, and short enough that a page can ask again. */
export const DEFAULT_REDIS_TIMEOUT_MS = 250;

export class SessionSettings {
  @Setting(
    `where sessions are kept: ${Object.entries(SESSION_STORES)
      .map(([kind, meaning]) => `\`${kind}\` (${meaning})`)
      .join(' or ')}`,
  )
  @IsIn(Object.keys(SESSION_STORES))
  SESSION_STORE: SessionStoreKind = 'embedded';

  @Setting('the file of the embedded store')
  @IsString()
  SESSION_STORE_PATH = 'data/sessions.db';

  @Setting(
    'the Redis that keeps the sessions: `redis://host:port`, `redis+sentinel://h1:p1,h2:p2/name` or `redis+cluster://h1:p1,h2:p2`, each with `rediss` for TLS; required with `SESSION_STORE=redis`',
    'rediss://portico:password@redis.example:6379/0',
  )
  @Secret()
  @Rule(
    'must be redis://host:port/database, redis+sentinel://h1:p1,h2:p2/name or redis+cluster://h1:p1,h2:p2, with rediss for TLS and at most user and password before the hosts',
    (value) => value === undefined || parseRedisUrl(value) !== undefined,
  )
  @Rule(
    'is required with SESSION_STORE=redis',
    (value, settings: SessionSettings) => value !== undefined || settings.SESSION_STORE !== 'redis',
  )
  REDIS_URL?: string;

  @Setting('the password of the sentinels, if they have one of their own', '<password of the sentinels>')
  @Secret()
  @Rule(
    'must be set only with a REDIS_URL of the form redis+sentinel://',
    (value, settings: SessionSettings) => value === undefined || placeOf(settings)?.kind === 'sentinel',
  )
  REDIS_SENTINEL_PASSWORD?: string;

  @Setting(
    'the file of the certificate authorities that Redis is trusted by, instead of the usual ones',
    '/etc/portico/redis-ca.pem',
  )
  @ReadableFile()
  @Rule(...NEEDS_TLS)
  REDIS_TLS_CA?: string;

  @Setting('the file of the client certificate that is shown to Redis', '/etc/portico/redis-cert.pem')
  @ReadableFile()
  @Rule(...NEEDS_TLS)
  @Rule(
    'needs REDIS_TLS_KEY',
    (value, settings: SessionSettings) => value === undefined || settings.REDIS_TLS_KEY !== undefined,
  )
  REDIS_TLS_CERT?: string;

  @Setting('the file of the private key of that certificate', '/etc/portico/redis-key.pem')
  @ReadableFile()
  @Rule(...NEEDS_TLS)
  @Rule(
    'needs REDIS_TLS_CERT',
    (value, settings: SessionSettings) => value === undefined || settings.REDIS_TLS_CERT !== undefined,
  )
  REDIS_TLS_KEY?: string;

  @Setting(
    'how many replicas of Redis must have the begin or the end of a session before a login or a logout is answered; with fewer, it fails; `0`: the master alone',
  )
  @WholeNumber(0, MOST_REPLICAS)
  REDIS_WAIT_REPLICAS = 0;

  @Setting(
    'time limit of one command to Redis in milliseconds; an answer that is missing for eight times as long ends the connection, and an attempt to connect has as long, but at least a second',
  )
  @WholeNumber(10, 60_000)
  REDIS_TIMEOUT_MS = DEFAULT_REDIS_TIMEOUT_MS;

  @Setting(
    'the keys that seal the sessions: a list of `kid:base64(32 bytes)`, newest first; required in production, otherwise one is created and kept next to the store',
    '<the output of: portico key>',
  )
  @Secret()
  @Rule(
    'must be a comma-separated list of kid:base64 with 32 random bytes each and no kid twice',
    (value) => value === undefined || isKeyList(value),
  )
  @Rule(
    'is required in production',
    (value, settings: ServiceSettings) => value !== undefined || !isProduction(settings),
  )
  SESSION_KEYS?: string;

  @Setting('seconds without use after which a handle expires')
  @WholeNumber(1, YEAR_SECONDS)
  SESSION_IDLE_SECONDS = 3600;

  @Setting('seconds after which a handle expires in any case')
  @WholeNumber(1, YEAR_SECONDS)
  SESSION_MAX_SECONDS = 43200;

  @Setting(
    'how many sessions one account may have at the same time; a further login ends the oldest; none by default',
    '10',
  )
  @IsOptional()
  @WholeNumber(1, MOST_PER_ACCOUNT)
  SESSIONS_MAX_PER_ACCOUNT?: number;

  @Setting(
    "the request header that carries `Bearer <handle>`; choose another name if a router's own token uses this one",
  )
  @Matching(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'must be the name of an HTTP header')
  @Rule(
    'must not be a header that has another meaning; choose Authorization or a name of your own such as X-Portico-Session',
    (value) => typeof value !== 'string' || !hasOtherMeaning(value),
  )
  SESSION_HEADER = 'authorization';

  @Setting(
    '`lax`, or `none` for pages that another site frames: the session cookie is then `SameSite=None; Secure; Partitioned`, `CORS_ORIGINS` is required, and every request with the cookie needs an allowed origin; see docs/frontend.md',
  )
  @IsIn(['lax', 'none'])
  @Rule(
    'may be none only together with CORS_ORIGINS',
    (value, { CORS_ORIGINS: origins }: HttpSettings) => value !== 'none' || origins.length > 0,
  )
  SESSION_COOKIE_SITE: 'lax' | 'none' = 'lax';

  @Setting(
    'how many milliseconds the answer to a read is reused for the same session; it is dropped when the session changes or ends; `0`: never reused',
  )
  @WholeNumber(0, LONGEST_TIMER_MS)
  READ_REUSE_MS = 0;
}
