import { type Socket } from 'node:net';
import { type TLSSocket } from 'node:tls';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { readHeadsAlike } from './incoming-heads.js';
import { StaleConnectionError } from './transport.js';

/** undici's connection. It knows whether a request failed because the connection had ended while it was idle. */
export class WatchedClient extends Client {
  readonly #connection: Connection;

  constructor(origin: string | URL, { connect, ...options }: Client.Options) {
    const connection: Connection = { socket: undefined, used: undefined };
    const connector = typeof connect === 'function' ? connect : buildConnector(connect);
    super(origin, {
      ...options,
      connect: (to, callback) => {
        connector(to, (...result) => {
          const socket = result[1] ?? undefined;
          connection.socket = socket;
          if (socket !== undefined) {
            readHeadsAlike(socket);
            endWithoutStack(socket);
          }
          callback(...result);
        });
      },
    });
    this.#connection = connection;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return super.dispatch(options, new WatchedRequest(this.#connection, handler));
  }
}

/**
 * undici ends each connection with an error that only says so. Node reads the stack of an error that ends a socket, and
 * writing the stack takes longer than ending the socket. Nobody sees it.
 */
function endWithoutStack(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error?: Error & { readonly code?: unknown }) => {
    if (error?.code === 'UND_ERR_INFO') error.stack = `${error.name}: ${error.message}`;
    return destroy(error);
  };
}

interface Connection {
  /** The socket that requests are written to now; undefined until it is open, and after it failed to open. */
  socket: Socket | TLSSocket | undefined;
  /** The last socket that a request was written to. */
  used: Socket | TLSSocket | undefined;
}

class WatchedRequest implements Dispatcher.DispatchHandler {
  readonly #connection: Connection;
  readonly #handler: Dispatcher.DispatchHandler;
  /** The kept socket that the request is meant for, later the one that it was written to; undefined for a new socket. */
  #kept: Socket | TLSSocket | undefined;
  #bytesBefore = 0;

  constructor(connection: Connection, handler: Dispatcher.DispatchHandler) {
    this.#connection = connection;
    this.#handler = handler;
    this.#note();
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#note();
    this.#connection.used = this.#connection.socket;
    this.#handler.onRequestStart?.(controller, context);
  }

  onRequestUpgrade(...upgrade: Parameters<Required<Dispatcher.DispatchHandler>['onRequestUpgrade']>): void {
    this.#handler.onRequestUpgrade?.(...upgrade);
  }

  onResponseStart(...start: Parameters<Required<Dispatcher.DispatchHandler>['onResponseStart']>): void {
    this.#handler.onResponseStart?.(...start);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...end: Parameters<Required<Dispatcher.DispatchHandler>['onResponseEnd']>): void {
    this.#handler.onResponseEnd?.(...end);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    const isAborted = (controller as Dispatcher.DispatchController | null)?.aborted === true;
    this.#handler.onResponseError?.(
      controller,
      this.#isStale && !isAborted ? new StaleConnectionError(error) : error,
    );
  }

  /**
   * undici checks a kept connection once more before it writes to it. A request may then fail without being written, but not
   * because a new connection failed to open in the meantime.
   */
  get #isStale(): boolean {
    const kept = this.#kept;
    return kept !== undefined && kept === this.#connection.socket && kept.bytesRead === this.#bytesBefore;
  }

  #note(): void {
    const { socket, used } = this.#connection;
    this.#kept = socket === used ? socket : undefined;
    this.#bytesBefore = socket?.bytesRead ?? 0;
  }
}
