/**
 * The scripts that Redis runs, each as one step. Each ends its arguments with an identification of the command,
 * which it repeats in its reply, followed by its time if it asked for it and its answer. A session is one string,
 * `version.expiresAt.sealed`, that expires at the idle end and never after the absolute end. A write that is sent
 * again after a lost connection finds its own text and counts once.
 */

/** The time that a script reads and the time that expiry uses differ by a few milliseconds. */
const CLOCK_NOISE_MS = 1000;

/** Reads a string. A value of another type is not ours: it is removed, since it would stay in the way for ever. */
const GET = `
  local function get(key)
    local value = redis.pcall('GET', key)
    if type(value) ~= 'table' then return value end
    if not string.find(value.err, 'WRONGTYPE') then return redis.call('GET', key) end
    redis.pcall('DEL', key)
    return false
  end`;

/** A script around another, whose value it returns after the identification of the command. */
function bound(lua: string): string {
  return `${GET}
  local function answer()${lua}
  end
  return { ARGV[#ARGV], '', answer() }`;
}

/** The same with the time as `now`, which it returns as well. */
function timed(lua: string): string {
  return `${GET}
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local function answer()${lua}
  end
  return { ARGV[#ARGV], string.format('%.0f', now), answer() }`;
}

const PARSED = `
  local value = get(KEYS[1])
  if not value then return nil end
  local version, expiresAt, sealed = string.match(value, '^(%d+)%.(%d+)%.(.*)$')
  if not version then return nil end`;

/** key; sealed, idle and absolute life in milliseconds → the absolute end, or nil if the key is taken. */
const CREATE = `
  local expiresAt = string.format('%.0f', now + ARGV[3])
  local life = math.min(ARGV[2], ARGV[3])
  if redis.call('SET', KEYS[1], '1.' .. expiresAt .. '.' .. ARGV[1], 'NX', 'PX', life) then return expiresAt end
  ${PARSED}
  if version == '1' and sealed == ARGV[1] then return expiresAt end
  return nil`;

/**
 * key; idle and absolute life, least gain that is worth a write, in milliseconds → version, absolute end, sealed;
 * or nil. After the clock was set back, a session may have more life than a new one. It is then cut to that of a
 * new one.
 */
const READ = `${PARSED}
  if expiresAt - now > tonumber(ARGV[2]) then
    expiresAt = string.format('%.0f', now + ARGV[2])
    redis.pcall('SET', KEYS[1], version .. '.' .. expiresAt .. '.' .. sealed, 'KEEPTTL')
  end
  local life = math.min(ARGV[1], expiresAt - now)
  local gained = life - redis.call('PTTL', KEYS[1])
  if gained > tonumber(ARGV[3]) or gained < -${CLOCK_NOISE_MS} then redis.pcall('PEXPIRE', KEYS[1], life) end
  return { version, expiresAt, sealed }`;

/**
 * keys of the session and of its last use; idle and absolute life in milliseconds → version, absolute end, sealed,
 * idle end, last use or ''; or nil. Writes nothing: if the clock was set back and the session lives too long, this
 * only reports the times to which the next read will cut it.
 */
const PEEK = `${PARSED}
  local latest = now + ARGV[2]
  if tonumber(expiresAt) > latest then expiresAt = string.format('%.0f', latest) end
  local idleEnd = math.min(now + math.min(redis.call('PTTL', KEYS[1]), ARGV[1]), expiresAt)
  local use = string.match(get(KEYS[2]) or '', '^%d+%.%d+$') or ''
  return { version, expiresAt, sealed, string.format('%.0f', idleEnd), use }`;

/** key → absolute end, sealed, idle end; or nil. */
const SUMMARY = `${PARSED}
  return { expiresAt, sealed, string.format('%.0f', math.min(now + redis.call('PTTL', KEYS[1]), expiresAt)) }`;

/**
 * key of the last use; when, timeout or '' for the known one, for how long it is kept, in milliseconds → 1 when it
 * was noted.
 */
const NOTE_USE = `
  local at, timeout = ARGV[1], ARGV[2]
  local knownAt, knownTimeout = string.match(get(KEYS[1]) or '', '^(%d+)%.(%d+)$')
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

/**
 * key of the lease; holder, milliseconds → taken, held or settled. A longer lease is from before the clock was set
 * back.
 */
const LEASE = `
  local holder = get(KEYS[1])
  if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then holder = false end
  if holder == 'settled' then return 'settled' end
  if holder and holder ~= ARGV[1] then return 'held' end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 'taken'`;

/** key of the lease; holder, milliseconds → 1 if the lease was still the holder's. */
const SETTLE = `
  if get(KEYS[1]) ~= ARGV[1] then return 0 end
  if tonumber(ARGV[2]) > 0 then redis.call('SET', KEYS[1], 'settled', 'PX', ARGV[2]) else redis.call('DEL', KEYS[1]) end
  return 1`;

/** key; milliseconds for which the mark stays → 1. Writes, because a full or read-only Redis still answers a PING. */
const MARK = `
  redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
  return 1`;

/** key; milliseconds for which a count lasts from its first → the count, and the milliseconds that it has left. */
const COUNT = `
  local count = redis.pcall('INCRBY', KEYS[1], 1)
  if type(count) == 'table' then
    if string.find(count.err, 'WRONGTYPE') or string.find(count.err, 'not an integer') then redis.call('DEL', KEYS[1]) end
    count = redis.call('INCRBY', KEYS[1], 1)
  end
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    left = tonumber(ARGV[1])
  end
  return { count, left }`;

/** Removes a value of another type, as GET does. */
const SORTED = `
  if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then redis.call('DEL', KEYS[1]) end`;

/**
 * key of a group of accounts; account and session, when it began, longest life in milliseconds → 1. Those that began
 * too long ago leave at one call in sixteen, so that most logins cost less.
 */
const JOIN = `
  local added = redis.pcall('ZADD', KEYS[1], ARGV[2], ARGV[1])
  if type(added) == 'table' then
    if string.find(added.err, 'WRONGTYPE') then redis.call('DEL', KEYS[1]) end
    redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
  end
  if ARGV[2] % 16 == 0 then redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2] - ARGV[3]) end
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return 1`;

/** key of a group of accounts; account, how many → its sessions, the oldest first. */
const OF_ACCOUNT = `${SORTED}
  local found = {}
  for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if #found < tonumber(ARGV[2]) and string.sub(member, 1, #ARGV[1]) == ARGV[1] then
      found[#found + 1] = string.sub(member, #ARGV[1] + 1)
    end
  end
  return found`;

/** key of a group of accounts; account and session → 1 if it was there. */
const LEAVE = `${SORTED}
  return redis.call('ZREM', KEYS[1], ARGV[1])`;

/** key of the endings; ending, how long it is told in milliseconds → 1. */
const NOTE_ENDING = `${SORTED}
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1`;

/** key of the endings; since when, how many → each with its time, the first ones first. */
const ENDINGS = `${SORTED}
  return redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])`;

/** keys → the count of each, 0 if there is none; 1 for a mark. */
const READ_COUNTS = `
  local counts = redis.call('MGET', unpack(KEYS))
  for n, value in ipairs(counts) do
    counts[n] = value == '' and 1 or tonumber(string.match(value or '', '^%d+$') or 0)
  end
  return counts`;

/** key; our settings, milliseconds for which they stay → those of the instance that came last, or ''. */
const ANNOUNCE = `
  local last = get(KEYS[1]) or ''
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return last`;

/** The scripts in the form that ioredis expects. One without a number of keys gets it as its first argument. */
export const REDIS_SCRIPTS = {
  createSession: { numberOfKeys: 1, lua: timed(CREATE) },
  readSession: { numberOfKeys: 1, lua: timed(READ) },
  peekSession: { numberOfKeys: 2, lua: timed(PEEK) },
  summary: { numberOfKeys: 1, lua: timed(SUMMARY) },
  noteUse: { numberOfKeys: 1, lua: bound(NOTE_USE) },
  replaceSession: { numberOfKeys: 1, lua: bound(REPLACE) },
  removeSession: { numberOfKeys: 1, lua: bound(REMOVE) },
  leaseSession: { numberOfKeys: 1, lua: bound(LEASE) },
  settleSession: { numberOfKeys: 1, lua: bound(SETTLE) },
  setMark: { numberOfKeys: 1, lua: bound(MARK) },
  addCount: { numberOfKeys: 1, lua: bound(COUNT) },
  readCounts: { lua: bound(READ_COUNTS) },
  joinAccount: { numberOfKeys: 1, lua: bound(JOIN) },
  ofAccount: { numberOfKeys: 1, lua: bound(OF_ACCOUNT) },
  leaveAccount: { numberOfKeys: 1, lua: bound(LEAVE) },
  noteEnding: { numberOfKeys: 1, lua: timed(NOTE_ENDING) },
  readEndings: { numberOfKeys: 1, lua: bound(ENDINGS) },
  announce: { numberOfKeys: 1, lua: bound(ANNOUNCE) },
  timeLeft: { numberOfKeys: 1, lua: bound(`\n  return redis.call('PTTL', KEYS[1])`) },
};

export type ScriptName = keyof typeof REDIS_SCRIPTS;

/** The scripts as methods of the client. */
export type RedisScripts = Record<ScriptName, (...parts: (string | number)[]) => Promise<unknown>>;
