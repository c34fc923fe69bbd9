/** Work of sessions that is under way, shared by all who ask for the same meanwhile. What has ended is not kept. */
export class InFlight {
  private readonly sessions = new Map<string, Map<string, Promise<unknown>>>();

  /**
   * Starts the work, unless the same is under way for that session.
   *
   * @param sessionKey the store key; nothing is ever shared between two.
   * @param name all that tells one piece of work from another.
   */
  share<T>(sessionKey: string, name: string, work: () => Promise<T>): Promise<T> {
    const running = this.sessions.get(sessionKey) ?? new Map<string, Promise<unknown>>();
    this.sessions.set(sessionKey, running);
    const shared = running.get(name) as Promise<T> | undefined;
    if (shared !== undefined) return shared;
    const started = work().finally(() => {
      running.delete(name);
      if (running.size === 0 && this.sessions.get(sessionKey) === running) this.sessions.delete(sessionKey);
    });
    running.set(name, started);
    return started;
  }

  /** Whoever asks from now on gets no share in what is under way for the session. */
  drop(sessionKey: string): void {
    this.sessions.delete(sessionKey);
  }

  /** Sessions with work under way. */
  get size(): number {
    return this.sessions.size;
  }
}
