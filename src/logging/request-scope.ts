import { AsyncLocalStorage } from 'node:async_hooks';

/** Knows which request is being served, wherever a line is logged. */
export class RequestScope {
  readonly #ids = new AsyncLocalStorage<string>();

  /** The id of the request that is being served; undefined outside of one. */
  readonly requestId = (): string | undefined => this.#ids.getStore();

  /** Serves a request: whatever `serve` begins belongs to it. */
  run(requestId: string, serve: () => void): void {
    this.#ids.run(requestId, serve);
  }
}
