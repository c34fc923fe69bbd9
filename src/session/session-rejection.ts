import { isSessionExpired, LoginFailedError, SessionError } from 'portico/client';
import { type OpenSession } from './open-session.js';

/** The answer, or undefined if there is no session. */
export async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof SessionError) return undefined;
    throw error;
  }
}

/** Only the sender of such a token sees this, so it reveals nothing about any session. */
export function foreignToken(): SessionError {
  return new SessionError(
    'There is no session: the bearer token of the request is not a session handle of this service. If it belongs to another service, see SESSION_HEADER',
  );
}

/** A service session whose new login is refused has ended as well. */
export function endsSession(error: unknown, { service }: OpenSession): boolean {
  return rejectsSession(error) || (service !== undefined && error instanceof LoginFailedError);
}

export function rejectsSession(error: unknown): boolean {
  return error instanceof SessionError || isSessionExpired(error);
}
