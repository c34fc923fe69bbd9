import { AsyncLocalStorage } from 'node:async_hooks';

/** Knows the current request wherever a line is logged. */
export class RequestScope {
  readonly #ids = new AsyncLocalStorage<string>();

  /** The id of the current request; undefined outside of one. */
  readonly requestId = (): string | undefined => this.#ids.getStore();

  /** Runs `serve` for a request: everything it starts belongs to that request. */
  run(requestId: string, serve: () => void): void {
    this.#ids.run(requestId, serve);
  }
}
