import { PlatformUnreachableError } from '../../errors/error-classes.js';

/** The calls in flight on one connection, so that closing it aborts all of them, whatever they wait for. */
export class InFlightCalls {
  readonly #calls = new Set<AbortController>();
  #isClosed = false;

  /**
   * @param call must end when the signal aborts
   * @throws PlatformUnreachableError when the connection was closed before or during the call
   */
  async run<T>(call: (closed: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw clientClosed();
    const controller = new AbortController();
    this.#calls.add(controller);
    try {
      return await call(controller.signal);
    } catch (error) {
      throw controller.signal.aborted ? clientClosed() : error;
    } finally {
      this.#calls.delete(controller);
    }
  }

  /** Aborts all calls in flight and refuses later ones. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#calls) controller.abort();
  }
}

function clientClosed(): PlatformUnreachableError {
  return new PlatformUnreachableError('The client is closed.', 'CONNECT', { retryable: false });
}
