import { RedisSessionStore } from './redis-session-store.js';
import { sessionLife } from './session-store.js';
import { type OpenBackend } from './store-backend.js';

export const fix = 'REDIS_URL: check host, port, user, password and rediss:// for TLS';

/** Sessions and the history of logins share one connection. */
export const open: OpenBackend = async (settings, report) => {
  const sessions = await RedisSessionStore.open(settings.REDIS_URL ?? '', sessionLife(settings), report);
  return { sessions, logins: sessions.loginRecords(), describe: () => sessions.describe() };
};
