import { Agent, buildConnector, type Client, Dispatcher, Pool, ProxyAgent } from 'undici';
import { type Proxy } from './proxy.js';
import {
  type ConnectionOptions,
  type HopRequest,
  type HopResponse,
  KEEP_ALIVE_MARGIN_MS,
  MAX_HEADER_BYTES,
  MAX_IDLE_MS,
  ProxyRefusal,
  type Transport,
} from './transport.js';
import { UndiciConnection } from './undici-connection.js';

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
      unkept: new NewConnections({ ...settings, connect: buildConnector({ ...connect, allowH2: false }) }),
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
 * client for the next request, and be dropped with it when this one has ended. Without pipelining, undici makes an
 * error of each end, with a stack, which is a tenth of the CPU of a login.
 */
class NewConnections extends Dispatcher {
  readonly #options: Client.Options;
  readonly #open = new Set<UndiciConnection>();

  constructor(options: Client.Options) {
    super();
    this.#options = options;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const connection = new UndiciConnection(options.origin ?? '', this.#options);
    this.#open.add(connection);
    return connection.dispatchOnly(options, handler, () => this.#open.delete(connection));
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
