import { Agent as HttpAgent, type AgentOptions, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Socket } from 'node:net';
import { HttpsProxyAgent } from 'hpagent';
import got, { type PlainResponse } from 'got';
import { endWithAnswer } from './got-answer.js';
import { dropUnaskedBytes } from './idle-sockets.js';
import { readHeadsAlike } from './incoming-heads.js';
import { type Proxy } from './proxy.js';
import {
  KEEP_ALIVE_MARGIN_MS,
  MAX_HEADER_BYTES,
  MAX_IDLE_MS,
  ProxyRefusal,
  StaleConnectionError,
  type ConnectionOptions,
  type HopRequest,
  type HopResponse,
  type Transport,
} from './transport.js';

/** Sends a hop with got, on Node's own HTTP client. */
export class GotTransport implements Transport {
  readonly #direct: Agents;
  readonly #proxied: Agents | undefined;
  readonly #proxy: Proxy | undefined;
  readonly #oneHop;

  constructor(options: ConnectionOptions) {
    const { trust, proxy } = options;
    this.#direct = makeAgents(options);
    this.#proxied = proxy && makeAgents(options, proxy);
    this.#proxy = proxy;
    this.#oneHop = got.extend({
      https: {
        rejectUnauthorized: trust.rejectUnauthorized,
        ...(trust.ca === undefined ? {} : { certificateAuthority: trust.ca }),
      },
      followRedirect: false,
      retry: { limit: 0 },
      throwHttpErrors: false,
      decompress: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
  }

  send({ method, url, headers, body, signal, needsNewConnection }: HopRequest): Promise<HopResponse> {
    const isProxied = this.#proxy?.isFor(url) === true;
    const { kept, unkept } = (isProxied ? this.#proxied : undefined) ?? this.#direct;
    return new Promise((resolve, reject) => {
      const stream = this.#oneHop.stream(url, {
        method: method as 'GET',
        agent: needsNewConnection === true ? unkept : kept,
        headers: { 'user-agent': undefined, ...headers },
        signal,
        ...(body === undefined ? {} : { body }),
      });
      let isStale = (): boolean => false;
      stream.on('error', (error) => {
        const refusal = isProxied ? PROXY_REFUSAL.exec(error.message)?.[1] : undefined;
        if (refusal !== undefined) reject(new ProxyRefusal(refusal));
        else reject(isStale() && !signal.aborted ? new StaleConnectionError(error) : error);
      });
      // got waits for a piped body if the method may have one.
      if (body === undefined && method !== 'GET' && method !== 'HEAD') stream.end();
      stream.once('request', (request: ClientRequest) => {
        // Node silently drops header fields after the 1,000th; the byte limit bounds them too.
        request.maxHeadersCount = 0;
        endWithAnswer(request);
        request.once('socket', readHeadsAlike);
        if (request.reusedSocket) isStale = staleness(request);
      });
      stream.once('response', ({ statusCode, rawHeaders }: PlainResponse) => {
        if (isProxied && statusCode === 407) stream.destroy(new ProxyRefusal('407'));
        resolve({ status: statusCode, rawHeaders, body: stream });
      });
    });
  }

  close(): Promise<void> {
    for (const { kept, unkept } of [this.#direct, this.#proxied ?? this.#direct]) {
      for (const agent of [kept.http, kept.https, unkept.http, unkept.https]) agent.destroy();
    }
    return Promise.resolve();
  }
}

/** How the agent for https reports that the proxy did not open a tunnel. */
const PROXY_REFUSAL = /^Bad response: (\d{3})$/;

interface Agents {
  readonly kept: HopAgents;
  readonly unkept: HopAgents;
}

interface HopAgents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

function makeAgents({ trust, maxIdleMs = MAX_IDLE_MS }: ConnectionOptions, proxy?: Proxy): Agents {
  // Node's agent for http speaks to a proxy in absolute form; its tunnels for https are experimental.
  const http = proxy === undefined ? {} : { proxyEnv: { HTTP_PROXY: proxy.url } };
  const agents = (options: AgentOptions): HopAgents => ({
    http: new HttpAgent({ ...options, ...http }),
    https:
      proxy === undefined
        ? new HttpsAgent({ ...options, ...trust })
        : new HttpsProxyAgent({ ...options, ...trust, proxy: proxy.url }),
  });
  const options = { timeout: maxIdleMs, agentKeepAliveTimeoutBuffer: KEEP_ALIVE_MARGIN_MS };
  const keeping = { ...options, keepAlive: true };
  return {
    kept: droppingUnaskedBytes(agents(keeping)),
    unkept: proxy === undefined ? agents(options) : keepingNone(agents(keeping)),
  };
}

function droppingUnaskedBytes(agents: HopAgents): HopAgents {
  dropUnaskedBytes(agents.http);
  dropUnaskedBytes(agents.https);
  return agents;
}

/**
 * Agents that destroy each connection after its response. Without `keepAlive` they would shut it down first. If a tunnel is
 * reset during that, Node 24.21 never finishes the shutdown and does not exit.
 */
function keepingNone(agents: HopAgents): HopAgents {
  agents.http.maxFreeSockets = 0;
  agents.https.maxFreeSockets = 0;
  return agents;
}

/** Returns, for a request on a kept connection, whether no byte has arrived since it was made. */
function staleness(request: ClientRequest): () => boolean {
  let socket: Socket | undefined;
  let before = 0;
  request.once('socket', (used) => {
    socket = used;
    before = used.bytesRead;
  });
  return () => socket === undefined || socket.bytesRead === before;
}
