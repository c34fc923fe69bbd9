import { afterAll } from 'vitest';
import { PlatformSession, type PlatformSessionOptions } from '../../../src/client/index.js';

const sessions = new Set<PlatformSession>();

/** Long, so that a busy machine fails no test; a test of a deadline holds the clock or sets its own. */
const TIMEOUT_MS = 60_000;

/** A session on its own connection, closed after the test file. */
export function openSession(baseUrl: string, options: PlatformSessionOptions = {}): PlatformSession {
  const session = new PlatformSession(baseUrl, { timeoutMs: TIMEOUT_MS, ...options });
  sessions.add(session);
  return session;
}

/** The same, holding a token without a login. */
export function sessionWithToken(baseUrl: string, options: PlatformSessionOptions = {}): PlatformSession {
  const session = openSession(baseUrl, options);
  session.updateFromJson({
    base_url: session.baseUrl,
    cookies: {},
    headers: { [`X-${options.vendor ?? 'SVC'}-AuthToken`]: 'token-0' },
  });
  return session;
}

/** The same, logged in as a user by the platform's own answer. */
export async function loggedIn(
  baseUrl: string,
  options: PlatformSessionOptions = {},
): Promise<PlatformSession> {
  const session = openSession(baseUrl, options);
  await session.login({ username: 'user', password: 'password' });
  return session;
}

afterAll(async () => {
  await Promise.all([...sessions].map((session) => session.close()));
});
