/**
 * The scripts that Redis runs, each as one step. A session is one string, `version.expiresAt.sealed`, that expires at the idle
 * end and never after the absolute end. A write that is sent again after a lost connection finds its own text and counts once.
 */

/** The time that a script reads and the time that expiry uses differ by a few milliseconds. */
const CLOCK_NOISE_MS = 1000;

const NOW = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

const PARSED = `
  local value = redis.call('GET', KEYS[1])
  if not value then return nil end
  local version, expiresAt, sealed = string.match(value, '^(%d+)%.(%d+)%.(.*)$')
  if not version then return nil end`;

/** key; sealed, idle and absolute life in milliseconds → the absolute end, or nil if the key is taken. */
const CREATE = `${NOW}
  local expiresAt = string.format('%.0f', now + ARGV[3])
  local life = math.min(ARGV[2], ARGV[3])
  if redis.call('SET', KEYS[1], '1.' .. expiresAt .. '.' .. ARGV[1], 'NX', 'PX', life) then return expiresAt end
  ${PARSED}
  if version == '1' and sealed == ARGV[1] then return expiresAt end
  return nil`;

/**
 * key; idle and absolute life, least gain that is worth a write, in milliseconds → version, absolute end, sealed; or nil.
 * After the clock was set back, a session may have more life than a new one. It is then cut to that of a new one.
 */
const READ = `${NOW}${PARSED}
  if expiresAt - now > tonumber(ARGV[2]) then
    expiresAt = string.format('%.0f', now + ARGV[2])
    redis.pcall('SET', KEYS[1], version .. '.' .. expiresAt .. '.' .. sealed, 'KEEPTTL')
  end
  local life = math.min(ARGV[1], expiresAt - now)
  local gained = life - redis.call('PTTL', KEYS[1])
  if gained > tonumber(ARGV[3]) or gained < -${CLOCK_NOISE_MS} then redis.pcall('PEXPIRE', KEYS[1], life) end
  return { version, expiresAt, sealed }`;

/**
 * key; idle and absolute life in milliseconds → version, absolute end, sealed, idle end; or nil. Writes nothing: if the clock
 * was set back and the session lives too long, this only reports the times to which the next read will cut it.
 */
const PEEK = `${NOW}${PARSED}
  local latest = now + ARGV[2]
  if tonumber(expiresAt) > latest then expiresAt = string.format('%.0f', latest) end
  local idleEnd = math.min(now + math.min(redis.call('PTTL', KEYS[1]), ARGV[1]), expiresAt)
  return { version, expiresAt, sealed, string.format('%.0f', idleEnd) }`;

/**
 * key of the last use; when, timeout or '' for the known one, for how long it is kept, in milliseconds → 1 when it was noted.
 */
const NOTE_USE = `
  local at, timeout = ARGV[1], ARGV[2]
  local knownAt, knownTimeout = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+)%.(%d+)$')
  if knownAt and tonumber(knownAt) > tonumber(at) then at = knownAt end
  if timeout == '' then timeout = knownTimeout end
  if not timeout then return 0 end
  redis.call('SET', KEYS[1], at .. '.' .. timeout, 'PX', ARGV[3])
  return 1`;

/** key; version that was read, sealed → 1 when it was current. */
const REPLACE = `${PARSED}
  local nextVersion = string.format('%.0f', ARGV[1] + 1)
  if version == nextVersion and sealed == ARGV[2] then return 1 end
  if version ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[1], nextVersion .. '.' .. expiresAt .. '.' .. ARGV[2], 'KEEPTTL')
  return 1`;

/** key; version or '' for any → 1 when it was there. */
const REMOVE = `${PARSED}
  if ARGV[1] ~= '' and version ~= ARGV[1] then return 0 end
  return redis.call('DEL', KEYS[1])`;

/** key of the lease; holder, milliseconds → taken, held or settled. A longer lease is from before the clock was set back. */
const LEASE = `
  local holder = redis.call('GET', KEYS[1])
  if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then holder = false end
  if holder == 'settled' then return 'settled' end
  if holder and holder ~= ARGV[1] then return 'held' end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 'taken'`;

/** key of the lease; holder, milliseconds → 1 if the lease was still the holder's. */
const SETTLE = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  if tonumber(ARGV[2]) > 0 then redis.call('SET', KEYS[1], 'settled', 'PX', ARGV[2]) else redis.call('DEL', KEYS[1]) end
  return 1`;

/** The scripts in the form that ioredis expects. */
export const REDIS_SCRIPTS = {
  createSession: { numberOfKeys: 1, lua: CREATE },
  readSession: { numberOfKeys: 1, lua: READ },
  peekSession: { numberOfKeys: 1, lua: PEEK },
  noteUse: { numberOfKeys: 1, lua: NOTE_USE },
  replaceSession: { numberOfKeys: 1, lua: REPLACE },
  removeSession: { numberOfKeys: 1, lua: REMOVE },
  leaseSession: { numberOfKeys: 1, lua: LEASE },
  settleSession: { numberOfKeys: 1, lua: SETTLE },
};

/** The scripts as methods of the client. */
export interface RedisScripts {
  createSession(key: string, sealed: string, idle: number, max: number): Promise<string | null>;
  readSession(key: string, idle: number, max: number, gain: number): Promise<[string, string, string] | null>;
  peekSession(key: string, idle: number, max: number): Promise<[string, string, string, string] | null>;
  noteUse(key: string, at: number, timeout: number | '', life: number): Promise<number>;
  replaceSession(key: string, version: number, sealed: string): Promise<number | null>;
  removeSession(key: string, version: number | ''): Promise<number | null>;
  leaseSession(key: string, holder: string, milliseconds: number): Promise<'taken' | 'held' | 'settled'>;
  settleSession(key: string, holder: string, milliseconds: number): Promise<number>;
}
