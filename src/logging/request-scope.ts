import { AsyncLocalStorage } from 'node:async_hooks';

/** The facts of a request that are available to everything done for it. */
export interface RequestFacts {
  readonly requestId: string;
  /** 32 hex digits; undefined if the request has no trace. */
  readonly traceId: string | undefined;
  /** The network address of the caller, behind the proxies that are trusted. */
  readonly clientAddress: string;
}

/** Knows the current request wherever a line is logged. */
export class RequestScope {
  readonly #requests = new AsyncLocalStorage<RequestFacts>();

  /** The current request; undefined outside of one. */
  readonly request = (): RequestFacts | undefined => this.#requests.getStore();

  /** The id of the current request; undefined outside of one. */
  readonly requestId = (): string | undefined => this.request()?.requestId;

  /** Runs `serve` for a request: everything it starts belongs to that request. */
  run(request: RequestFacts, serve: () => void): void {
    this.#requests.run(request, serve);
  }
}
