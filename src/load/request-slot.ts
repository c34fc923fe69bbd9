import { type ServerResponse } from 'node:http';
import { type PacedBody } from './paced-body.js';
import { type Leave } from './request-queue.js';

/** The reason of the signal. Without one, an error with a stack is made each time, and nothing reads it. */
const GONE = 'The connection is gone';

/**
 * What one request takes up. Its place is given back when the answer has been made and the connection has taken it or
 * is gone: a request whose caller has hung up counts for as long as work is done for it.
 */
export class RequestSlot {
  /** Bytes of the answer while it waits for its reader. */
  unsent = 0;
  /** The answer, if it is sent slice by slice. */
  body: PacedBody | undefined;
  /** Whether the place is one of those that are kept for logouts. Set here alone. */
  isReserved = false;
  #isGone = false;
  /** Made only for a request that waits: nearly all are let in immediately. */
  #gone: AbortController | undefined;
  #leave: Leave | undefined;
  #isAnswered = false;

  /** @param closed called when the connection has taken the answer or is gone. */
  constructor(
    readonly response: ServerResponse,
    closed?: (slot: RequestSlot) => void,
  ) {
    this.#isGone = response.closed;
    response.once('close', () => {
      this.#isGone = true;
      if (response.writableFinished) this.body?.free();
      this.#gone?.abort(GONE);
      closed?.(this);
      if (this.#isAnswered) this.#leave?.();
    });
  }

  /** Aborts when the connection is gone or the answer has been taken. */
  get gone(): AbortSignal {
    if (this.#isGone) return AbortSignal.abort(GONE);
    this.#gone ??= new AbortController();
    return this.#gone.signal;
  }

  /** @param leave called when the request leaves, after those of earlier calls. */
  enter(leave: Leave, isReserved = false): void {
    const others = this.#leave;
    this.#leave =
      others === undefined
        ? leave
        : () => {
            others();
            leave();
          };
    this.isReserved = isReserved;
  }

  /** The answer has been made. */
  answered(): void {
    this.#isAnswered = true;
    if (this.#isGone) this.#leave?.();
  }
}
