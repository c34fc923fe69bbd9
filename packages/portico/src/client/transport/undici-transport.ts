import { Agent, buildConnector, Client, Dispatcher, Pool, ProxyAgent } from 'undici';
import { type Proxy } from './proxy.js';
import {
  type ConnectionOptions,
  type HopRequest,
  type HopResponse,
  KEEP_ALIVE_MARGIN_MS,
  MAX_HEADER_BYTES,
  MAX_IDLE_MS,
  MAX_INTERIM_RESPONSES,
  ProtocolViolation,
  ProxyRefusal,
  StaleConnectionError,
  type Transport,
  UnreadableContinueError,
} from './transport.js';
import { type Socket } from 'node:net';

/** Sends a hop with undici: the same behavior as got at a fraction of the CPU. */
export class UndiciTransport implements Transport {
  readonly #direct: Dispatchers;
  readonly #proxied: Dispatchers | undefined;
  readonly #proxy: Proxy | undefined;

  constructor(options: ConnectionOptions) {
    const { trust, proxy } = options;
    const settings = connectionSettings(options);
    const connect = { ...trust, timeout: 0 };
    this.#direct = {
      kept: new Agent({ ...pooled(settings), connect }),
      unkept: new NewConnections({
        ...settings,
        ...CLOSED_AFTERWARDS,
        connect: buildConnector({ ...connect, allowH2: false }),
      }),
    };
    this.#proxied = proxy && throughProxy(proxy, settings, trust);
    this.#proxy = proxy;
  }

  async send({ method, url, headers, body, signal, needsNewConnection }: HopRequest): Promise<HopResponse> {
    const isProxied = this.#proxy?.isFor(url) === true;
    const { kept, unkept } = (isProxied ? this.#proxied : undefined) ?? this.#direct;
    const dispatcher = needsNewConnection === true ? unkept : kept;
    const request = dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: body?.length === undefined ? headers : { ...headers, 'content-length': String(body.length) },
      body: body?.open() ?? null,
      signal,
      responseHeaders: 'raw',
    });
    const response = await (isProxied ? request.catch(throwProxyRefusal) : request);
    // With `raw` the headers are alternating names and values, unlike the declared type.
    const rawHeaders: unknown = response.headers;
    return { status: response.statusCode, rawHeaders: rawHeaders as readonly string[], body: response.body };
  }

  async close(): Promise<void> {
    const all = [this.#direct, this.#proxied ?? this.#direct];
    await Promise.all(all.flatMap(({ kept, unkept }) => [kept.destroy(), unkept.destroy()]));
  }
}

interface Dispatchers {
  readonly kept: Dispatcher;
  readonly unkept: Dispatcher;
}

type ConnectionSettings = Omit<Client.Options, 'connect'>;

function connectionSettings({ maxIdleMs = MAX_IDLE_MS }: ConnectionOptions): ConnectionSettings {
  return {
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: maxIdleMs,
    keepAliveMaxTimeout: maxIdleMs,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    // got has no HTTP/2, and both must behave alike.
    allowH2: false,
    // The deadline of the whole call bounds these.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  };
}

/** Without pipelining a connection is closed after its response. */
const CLOSED_AFTERWARDS = { pipelining: 0 };

function pooled(settings: ConnectionSettings): Agent.Options {
  const client = (origin: string | URL, given: object): Dispatcher =>
    new UndiciConnection(origin, { ...given, ...settings });
  return {
    ...settings,
    factory: (origin, given: object) => new Pool(origin, { ...given, factory: client }),
  };
}

function throughProxy(
  { url: uri }: Proxy,
  settings: ConnectionSettings,
  requestTls: ConnectionOptions['trust'],
): Dispatchers {
  const make = (each: ConnectionSettings): Dispatcher =>
    new ProxyAgent({ ...pooled(each), uri, requestTls, proxyTunnel: false, connectTimeout: 0 });
  return { kept: make(settings), unkept: make({ ...settings, ...CLOSED_AFTERWARDS }) };
}

/**
 * Sends each request over a connection of its own, which is closed after its response. A pool would make another
 * client for the next request, and be dropped with it when this one has ended.
 */
class NewConnections extends Dispatcher {
  readonly #options: Client.Options;
  readonly #open = new Set<Client>();

  constructor(options: Client.Options) {
    super();
    this.#options = options;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const connection = new UndiciConnection(options.origin ?? '', this.#options);
    this.#open.add(connection);
    const mayTakeMore = connection.dispatch(options, handler);
    // When the request has ended.
    connection.close(() => this.#open.delete(connection));
    return mayTakeMore;
  }

  override async destroy(): Promise<void> {
    await Promise.all(Array.from(this.#open, (connection) => connection.destroy()));
  }
}

/**
 * How undici reports that the proxy answered in place of the platform: to CONNECT, and to a request in absolute form.
 */
function throwProxyRefusal(error: unknown): never {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const status = typeof message === 'string' ? /\((\d{3})\)/.exec(message)?.[1] : undefined;
  if (status !== undefined && (code === 'UND_ERR_ABORTED' || code === 'UND_ERR_INVALID_ARG')) {
    throw new ProxyRefusal(status);
  }
  if (code === 'UND_ERR_PRX_CONN') throw new ProxyRefusal(undefined);
  throw error;
}

type Handler = Required<Dispatcher.DispatchHandler>;
type Controller = Dispatcher.DispatchController;

/**
 * A connection of undici that names each failure as the transport does, and knows whether it ended while it was idle.
 */
class UndiciConnection extends Client {
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

  constructor(sockets: Sockets, handler: Dispatcher.DispatchHandler) {
    this.#sockets = sockets;
    this.#handler = handler;
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
    this.#handler.onResponseEnd?.(...end);
  }

  onResponseError(controller: Controller, error: Error): void {
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
