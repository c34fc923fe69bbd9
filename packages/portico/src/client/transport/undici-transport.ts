import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { type Proxy } from './proxy.js';
import {
  KEEP_ALIVE_MARGIN_MS,
  MAX_HEADER_BYTES,
  MAX_IDLE_MS,
  ProxyRefusal,
  type ConnectionOptions,
  type HopRequest,
  type HopResponse,
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
    this.#direct = makeDispatchers(
      options,
      (each) => new Agent({ ...each, connect: { ...trust, timeout: 0 } }),
    );
    this.#proxied =
      proxy &&
      makeDispatchers(
        options,
        (each) =>
          new ProxyAgent({
            ...each,
            uri: proxy.url,
            requestTls: trust,
            proxyTunnel: false,
            connectTimeout: 0,
          }),
      );
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
      headers,
      body: body ?? null,
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

function makeDispatchers(
  { maxIdleMs = MAX_IDLE_MS }: ConnectionOptions,
  make: (options: Agent.Options) => Dispatcher,
): Dispatchers {
  const common = {
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: maxIdleMs,
    keepAliveMaxTimeout: maxIdleMs,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    // got has no HTTP/2, and both must behave alike.
    allowH2: false,
    // The deadline of the whole call bounds these.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const withPipelining = (pipelining: number): Dispatcher => {
    const options = { ...common, pipelining };
    const client = (origin: string | URL, given: object): Dispatcher =>
      new UndiciConnection(origin, { ...given, ...options });
    return make({
      ...options,
      factory: (origin, given: object) => new Pool(origin, { ...given, factory: client }),
    });
  };
  // Without pipelining a connection is closed after its response.
  return { kept: withPipelining(1), unkept: withPipelining(0) };
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
