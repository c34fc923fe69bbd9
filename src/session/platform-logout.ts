import { isSessionExpired, type PlatformSession, SessionError } from 'portico/client';

/**
 * Logs out a platform session that is no longer used. Never rejects: a failure is logged for the operator, unless the
 * platform no longer knows the session.
 */
export async function logOutAtPlatform(
  session: PlatformSession,
  logger: { warn(message: string): void },
): Promise<void> {
  try {
    await session.logout();
  } catch (error) {
    if (error instanceof SessionError || isSessionExpired(error)) return;
    const reason = error instanceof Error ? error.name : 'unknown error';
    logger.warn(`A platform session could not be logged out: ${reason}`);
  }
}
