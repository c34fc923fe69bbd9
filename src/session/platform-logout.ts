import { type PlatformSession, SessionError } from '../client/index.js';

/**
 * Logs a platform session out that nobody uses any more, so that none is left behind. Never rejects: what fails is
 * news for the operator only, and a session that the platform no longer knows is no news.
 */
export async function logOutAtPlatform(
  session: PlatformSession,
  tell: (message: string) => void,
): Promise<void> {
  try {
    await session.logout();
  } catch (error) {
    if (error instanceof SessionError) return;
    tell(`A platform session could not be logged out: ${error instanceof Error ? error.name : 'error'}`);
  }
}
