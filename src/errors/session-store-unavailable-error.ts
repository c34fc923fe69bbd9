/** The session store cannot be reached or cannot write. Says nothing about any session. */
export class SessionStoreUnavailableError extends Error {
  override readonly name = 'SessionStoreUnavailableError';

  /** @param reason what failed, in words that are safe to log. */
  constructor(readonly reason: string) {
    super(`The session store is unavailable: ${reason}`);
  }
}
