import { type LoginRecords, PLACE_SECONDS, WINDOW_SECONDS } from './login-records.js';
import { type RedisClient } from './redis-client.js';
import {
  areCounts,
  isCountAndTime,
  isCountOrNone,
  isListOfStrings,
  isOne,
  isSummaryOrNone,
  isTimeLeft,
} from './redis-replies.js';
import {
  type Ending,
  type EndingCause,
  ENDINGS_KEPT_MS,
  type ListedRecord,
  type SessionLife,
} from './session-store.js';
import { type StoreHealth } from './store-health.js';

const ACCOUNTS = 'portico:accounts:';
/** Accounts whose hashes begin alike share a key: one for each of them would cost twice as much memory. */
const GROUP_CHARACTERS = 2;
/** Enough to tell accounts apart, and few enough for Redis to store a group in its compact form (64 bytes each). */
const ACCOUNT_CHARACTERS = 20;
const ENDINGS = 'portico:endings';
const FAILURES = 'portico:login-failures:';
const LOGINS = 'portico:logins:';
const PLACE = 'portico:login-place:';

const WINDOW_MS = WINDOW_SECONDS * 1000;
/** How many sessions or endings one answer tells of. */
const MOST = 1000;
/** How many keys Redis looks at in one step of a scan, and how many of them are asked about at the same time. */
const SCANNED = 1000;
const AT_ONCE = 100;

/** The sessions of each account, the sessions that were ended, and all sessions, in Redis. */
export class RedisIndex {
  readonly #redis: RedisClient;
  readonly #nameOf: (key: string) => string;
  readonly #health: StoreHealth;
  readonly #idle: number;
  readonly #max: number;
  #hasFailed = false;

  /** @param nameOf the name under which Redis has a session. */
  constructor(redis: RedisClient, nameOf: (key: string) => string, health: StoreHealth, life: SessionLife) {
    this.#redis = redis;
    this.#nameOf = nameOf;
    this.#health = health;
    this.#idle = life.idleSeconds * 1000;
    this.#max = life.maxSeconds * 1000;
  }

  /** A Redis user with too few permissions would otherwise keep every login from working after an upgrade. */
  async join(account: string, key: string): Promise<void> {
    try {
      const at = Math.round(this.#redis.now());
      const { group, own } = placeOf(account);
      await this.#redis.ask(isOne, 'joinAccount', group, own + shortened(key), at, this.#max);
    } catch (error) {
      if (!this.#hasFailed) {
        const reason = error instanceof Error ? error.message : 'unknown error';
        this.#health.report(`Sessions cannot be found by their accounts: ${reason}`);
      }
      this.#hasFailed = true;
    }
  }

  async ofAccount(account: string): Promise<readonly string[]> {
    const { group, own } = placeOf(account);
    return (await this.#redis.ask(isListOfStrings, 'ofAccount', group, own, MOST)).map(restored);
  }

  leave(account: string, key: string): void {
    const { group, own } = placeOf(account);
    this.#redis.ask(isCountOrNone, 'leaveAccount', group, own + shortened(key)).catch(() => undefined);
  }

  async noteEnding(key: string, cause: EndingCause): Promise<void> {
    await this.#redis.ask(isOne, 'noteEnding', ENDINGS, `${cause} ${key}`, ENDINGS_KEPT_MS);
  }

  async endings(since: number): Promise<readonly Ending[]> {
    const found = await this.#redis.ask(isListOfStrings, 'readEndings', ENDINGS, since, MOST);
    const endings: Ending[] = [];
    for (let n = 0; n + 1 < found.length; n += 2) {
      const [cause = '', key = ''] = (found[n] ?? '').split(' ');
      endings.push({ key, cause: cause as EndingCause, at: Number(found[n + 1]) });
    }
    return endings;
  }

  async *list(): AsyncGenerator<readonly ListedRecord[]> {
    const prefix = this.#nameOf('*').split('*')[0] ?? '';
    const seen = new Set<string>();
    for await (const names of this.#redis.scan(this.#nameOf('*'), SCANNED)) {
      const keys = names
        .map((name) => name.slice(prefix.length).replace(/\}$/, ''))
        .filter((key) => !seen.has(key));
      for (let n = 0; n < keys.length; n += AT_ONCE) {
        const some = keys.slice(n, n + AT_ONCE);
        for (const key of some) seen.add(key);
        const found = await Promise.all(some.map((key) => this.summary(key)));
        yield found.filter((record) => record !== undefined);
      }
    }
  }

  async summary(key: string): Promise<ListedRecord | undefined> {
    const found = await this.#redis.ask(isSummaryOrNone, 'summary', this.#nameOf(key));
    if (found === null) return undefined;
    const [expiresAt, sealed, idleExpiresAt] = found;
    const lastUsedAt = Math.min(Number(idleExpiresAt) - this.#idle, this.#redis.now());
    return { key, sealed, lastUsedAt, idleExpiresAt: Number(idleExpiresAt), expiresAt: Number(expiresAt) };
  }
}

/** The key of an account's group, and its name there, which has always the same length. */
function placeOf(account: string): { readonly group: string; readonly own: string } {
  const own = account.slice(GROUP_CHARACTERS, GROUP_CHARACTERS + ACCOUNT_CHARACTERS);
  const group = ACCOUNTS + account.slice(0, GROUP_CHARACTERS);
  return { group, own: own.padEnd(ACCOUNT_CHARACTERS, '.') };
}

/** A session's key is the hash of its handle in hexadecimal digits. */
function shortened(key: string): string {
  return /^[0-9a-f]{64}$/.test(key) ? Buffer.from(key, 'hex').toString('base64url') : `.${key}`;
}

function restored(text: string): string {
  return text.startsWith('.') ? text.slice(1) : Buffer.from(text, 'base64url').toString('hex');
}

/**
 * Keeps the history in Redis, shared by all instances.
 *
 * @param isCluster whether each key may be in another slot, so that it has to be asked about on its own.
 */
export function recordLoginsInRedis(redis: RedisClient, isCluster: boolean): LoginRecords {
  return {
    look: async (keys, place) => {
      const names = [...keys.map((key) => FAILURES + key), ...(place === undefined ? [] : [PLACE + place])];
      const groups = isCluster ? names.map((name) => [name]) : [names];
      const counts = await Promise.all(
        groups.map((group) => redis.ask(areCounts(group.length), 'readCounts', group.length, ...group)),
      );
      const found = counts.flat();
      return { failures: found.slice(0, keys.length), isKnownPlace: found[keys.length] === 1 };
    },
    addFailure: async (keys) => {
      await Promise.all(keys.map((key) => redis.ask(isCountAndTime, 'addCount', FAILURES + key, WINDOW_MS)));
    },
    failuresEndIn: async (key) => Math.max(0, await redis.ask(isTimeLeft, 'timeLeft', FAILURES + key)),
    addPlace: async (place) => {
      await redis.ask(isOne, 'setMark', PLACE + place, PLACE_SECONDS * 1000);
    },
    addLogin: async (key) => {
      const [logins, endsIn] = await redis.ask(isCountAndTime, 'addCount', LOGINS + key, WINDOW_MS);
      return { logins, endsIn };
    },
  };
}
