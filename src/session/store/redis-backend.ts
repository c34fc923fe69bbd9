import { RedisSessionStore } from './redis-session-store.js';
import { sessionLife } from './session-store.js';
import { type BackendFile, type OpenBackend } from './store-backend.js';

export const fix = 'REDIS_URL: check host, port, user, password and rediss:// for TLS';

/** Sessions and the history of logins share one connection. */
export const open: OpenBackend = async (settings, report) => {
  const sessions = await RedisSessionStore.open(settings.REDIS_URL ?? '', sessionLife(settings), report);
  return { sessions, logins: sessions.loginRecords() };
};

/** What it writes is gone after a second. */
export const tryOut: BackendFile['tryOut'] = async (settings) => {
  const store = await RedisSessionStore.open(
    settings.REDIS_URL ?? '',
    sessionLife(settings),
    () => undefined,
  );
  try {
    await store.ping();
    return await store.describe();
  } finally {
    await store.close();
  }
};
