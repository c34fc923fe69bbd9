import { buildConnector, Client, type Dispatcher } from 'undici';
import { type Socket } from 'node:net';
import {
  MAX_INTERIM_RESPONSES,
  ProtocolViolation,
  StaleConnectionError,
  UnreadableContinueError,
} from './transport.js';

type Handler = Required<Dispatcher.DispatchHandler>;
type Controller = Dispatcher.DispatchController;

/**
 * A connection of undici that names each failure as the transport does, and knows whether it ended while it was idle.
 */
export class UndiciConnection extends Client {
  readonly #sockets: Sockets;

  constructor(origin: string | URL, { connect, ...options }: Client.Options) {
    const sockets: Sockets = { current: undefined, used: undefined, failure: undefined };
    const connector = typeof connect === 'function' ? connect : buildConnector(connect);
    super(origin, {
      ...options,
      connect: (to, callback) => {
        connector(to, (...result) => {
          sockets.current = result[1] ?? undefined;
          sockets.failure = undefined;
          sockets.current?.once('error', (error) => (sockets.failure = error));
          callback(...result);
        });
      },
    });
    this.#sockets = sockets;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return super.dispatch(options, new AnswerHandler(this.#sockets, handler));
  }

  /** Sends its only request. The connection is closed after the response. */
  dispatchOnly(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    closed: () => void,
  ): boolean {
    const ended = (isComplete: boolean): void => {
      if (isComplete) {
        this.#sockets.current?.destroy();
        closed();
      } else this.close(closed);
    };
    return super.dispatch(options, new AnswerHandler(this.#sockets, handler, ended));
  }
}

interface Sockets {
  /** The socket that requests are written to now; undefined until it is open, and after it failed to open. */
  current: Socket | undefined;
  /** The last socket that a request was written to. */
  used: Socket | undefined;
  /**
   * The first error of the current socket: undici reports the last one, which may be that the other side closed it.
   */
  failure: Error | undefined;
}

class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #sockets: Sockets;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #ended: ((isComplete: boolean) => void) | undefined;
  /**
   * The kept socket that the request is meant for, later the one that it was written to; undefined for a new socket.
   */
  #kept: Socket | undefined;
  #bytesBefore = 0;
  #interimResponses = 0;
  /** Undefined before the final status line. */
  #length: string | undefined;
  #hasHead = false;
  #received = 0;

  /** @param ended called before the handler is told that the response is complete, or has failed. */
  constructor(sockets: Sockets, handler: Dispatcher.DispatchHandler, ended?: (isComplete: boolean) => void) {
    this.#sockets = sockets;
    this.#handler = handler;
    this.#ended = ended;
    this.#note();
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#note();
    this.#sockets.used = this.#sockets.current;
    this.#handler.onRequestStart?.(controller, context);
  }

  onRequestUpgrade(...upgrade: Parameters<Handler['onRequestUpgrade']>): void {
    this.#handler.onRequestUpgrade?.(...upgrade);
  }

  onResponseStart(...start: Parameters<Handler['onResponseStart']>): void {
    const [controller, status, headers] = start;
    if (status >= 200) {
      this.#hasHead = true;
      const length = headers['content-length'];
      if (typeof length === 'string') this.#length = length;
    } else if (++this.#interimResponses > MAX_INTERIM_RESPONSES) {
      controller.abort(new ProtocolViolation('HPE_TOO_MANY_INTERIM'));
      return;
    }
    this.#handler.onResponseStart?.(...start);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#received += chunk.byteLength;
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...end: Parameters<Handler['onResponseEnd']>): void {
    this.#ended?.(true);
    this.#handler.onResponseEnd?.(...end);
  }

  onResponseError(controller: Controller, error: Error): void {
    this.#ended?.(false);
    const isAborted = (controller as Controller | null)?.aborted === true;
    const code = codeOf(error);
    // undici misreads a length with a space after it (RFC 9112, 5, allows one), and then finds the complete body too
    // short.
    if (code === LENGTH_MISMATCH && Number(this.#length?.trim()) === this.#received) {
      this.#handler.onResponseEnd?.(controller, {});
    } else if (this.#isStale && !isAborted) {
      this.#handler.onResponseError?.(controller, new StaleConnectionError(error));
    } else {
      const first = code === 'UND_ERR_SOCKET' ? (this.#sockets.failure ?? error) : error;
      this.#handler.onResponseError?.(controller, this.#named(first));
    }
  }

  /**
   * undici checks a kept connection once more before it writes to it. A request may then fail without being written,
   * but not because a new connection failed to open in the meantime.
   */
  get #isStale(): boolean {
    const kept = this.#kept;
    return kept !== undefined && kept === this.#sockets.current && kept.bytesRead === this.#bytesBefore;
  }

  #note(): void {
    const { current, used } = this.#sockets;
    this.#kept = current === used ? current : undefined;
    this.#bytesBefore = current?.bytesRead ?? 0;
  }

  /** Where undici's name for a fault of the answer would be read as a lost connection. */
  #named(error: Error): Error {
    const code = codeOf(error);
    // Before the status line is complete, the mismatch is in the header section: two lengths, or one that is not a
    // number.
    if (code === LENGTH_MISMATCH && !this.#hasHead)
      return new ProtocolViolation('HPE_INVALID_CONTENT_LENGTH');
    // The one answer that undici calls so while a request waits.
    if (error.message === 'bad response') return new UnreadableContinueError();
    if (code === 'ERR_ASSERTION' || error.message === 'bad upgrade') {
      return new ProtocolViolation('HPE_INVALID_STATUS');
    }
    // The connection ended within a chunk, after `Connection: close`. undici's parser gives no code for it.
    if (error.message.endsWith('(Invalid EOF state)')) {
      return Object.assign(new Error('The body ended early.'), { code: 'ECONNRESET' });
    }
    return error;
  }
}

const LENGTH_MISMATCH = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

function codeOf(error: Error): unknown {
  return (error as { code?: unknown }).code;
}
