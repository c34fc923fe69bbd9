import { IsIn, IsString } from 'class-validator';
import { isRedisUrl, LONGEST_TIMER_MS, Matching, Rule, WholeNumber } from './checks.js';
import { isKeyList } from './key-list.js';
import { hasOtherMeaning } from './network-checks.js';
import { Secret, Setting } from './setting.js';
import { isProduction, type ServiceSettings } from './service-settings.js';

/** The kinds of stores, each with what it is. `src/session/store/<kind>-backend.ts` opens it. */
export const SESSION_STORES = {
  embedded: 'a durable file, one instance',
  redis: 'many instances',
} as const;

const YEAR_SECONDS = 365 * 24 * 3600;

export type SessionStoreKind = keyof typeof SESSION_STORES;

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
    'the Redis server that keeps the sessions, `rediss://` for TLS; required with `SESSION_STORE=redis`',
    'rediss://portico:password@redis.example:6379/0',
  )
  @Secret()
  @Rule(
    'must be redis:// or rediss:// with a host, and at most user, password, port, and database number',
    (value) => value === undefined || isRedisUrl(value),
  )
  @Rule(
    'is required with SESSION_STORE=redis',
    (value, settings: SessionSettings) => value !== undefined || settings.SESSION_STORE !== 'redis',
  )
  REDIS_URL?: string;

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
    "the request header that carries `Bearer <handle>`; choose another name if a router's own token uses this one",
  )
  @Matching(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'must be the name of an HTTP header')
  @Rule(
    'must not be a header that has another meaning; choose Authorization or a name of your own such as X-Portico-Session',
    (value) => typeof value !== 'string' || !hasOtherMeaning(value),
  )
  SESSION_HEADER = 'authorization';

  @Setting(
    'how many milliseconds the answer to a read is reused for the same session; it is dropped when the session changes or ends; `0`: never reused',
  )
  @WholeNumber(0, LONGEST_TIMER_MS)
  READ_REUSE_MS = 0;
}
