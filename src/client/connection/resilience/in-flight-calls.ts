import { PlatformUnreachableError } from '../../errors/error-classes.js';

/** The calls under way of one connection, so that closing ends all of them, whatever they wait for. */
export class Closing {
  readonly #calls = new Set<AbortController>();
  #isClosed = false;

  /**
   * @param call must end when the signal aborts
   * @throws PlatformUnreachableError when the connection is closed, before the call or within it
   */
  async guard<T>(call: (closed: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw isClosed();
    const controller = new AbortController();
    this.#calls.add(controller);
    try {
      return await call(controller.signal);
    } catch (error) {
      throw controller.signal.aborted ? isClosed() : error;
    } finally {
      this.#calls.delete(controller);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const controller of this.#calls) controller.abort();
  }
}

function isClosed(): PlatformUnreachableError {
  return new PlatformUnreachableError('The client is closed.', 'CONNECT', { retryable: false });
}
