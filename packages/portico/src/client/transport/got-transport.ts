import { Agent as HttpAgent, type AgentOptions, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { HttpsProxyAgent } from 'hpagent';
import got, { type PlainResponse } from 'got';
import { type Proxy } from './proxy.js';
import {
  KEEP_ALIVE_MARGIN_MS,
  MAX_HEADER_BYTES,
  MAX_IDLE_MS,
  MAX_INTERIM_RESPONSES,
  ProtocolViolation,
  ProxyRefusal,
  StaleConnectionError,
  type ConnectionOptions,
  type HopRequest,
  type HopResponse,
  type RequestBody,
  type Transport,
} from './transport.js';

/** Sends a hop with got, on Node's own HTTP client. */
export class GotTransport implements Transport {
  readonly #direct: Agents;
  readonly #proxied: Agents | undefined;
  readonly #proxy: Proxy | undefined;
  readonly #oneHop;

  constructor(options: ConnectionOptions) {
    const { proxy } = options;
    this.#direct = makeAgents(options);
    this.#proxied = proxy && makeAgents(options, proxy);
    this.#proxy = proxy;
    this.#oneHop = got.extend({
      followRedirect: false,
      retry: { limit: 0 },
      throwHttpErrors: false,
      decompress: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
  }

  send(hop: HopRequest): Promise<HopResponse> {
    const { method, url, body, signal } = hop;
    const isProxied = this.#proxy?.isFor(url) === true;
    const { kept, unkept } = (isProxied ? this.#proxied : undefined) ?? this.#direct;
    return new Promise((resolve, reject) => {
      const stream = this.#oneHop.stream(url, {
        method: method as 'GET',
        agent: hop.needsNewConnection === true ? unkept : kept,
        headers: { 'user-agent': undefined, ...hop.headers, ...lengthOf(body) },
        signal,
      });
      const refuse = (error: Error): void => {
        reject(error);
        stream.destroy();
      };
      let isStale = (): boolean => false;
      stream.on('error', (error) => {
        const refusal = isProxied ? PROXY_REFUSAL.exec(error.message)?.[1] : undefined;
        if (refusal !== undefined) reject(new ProxyRefusal(refusal));
        else reject(isStale() && !signal.aborted ? new StaleConnectionError(error) : error);
      });
      // Not as an option: got would write it in parts, and miss the answer of a server that refuses it unread.
      if (body !== undefined) write(body.open(), stream);
      else if (method !== 'GET' && method !== 'HEAD') stream.end();
      stream.once('request', (request: ClientRequest) => {
        // Node silently drops header fields after the 1,000th; the byte limit bounds them too.
        request.maxHeadersCount = 0;
        refuseOddInterimResponses(request, refuse);
        if (request.reusedSocket) isStale = staleness(request);
        // Before got's own listener, which could not tell what follows from a broken connection.
        request.prependOnceListener('response', (answer) => {
          if (hasNoBody(method, answer)) resolve(answerWithoutBody(answer, stream));
        });
      });
      stream.once('response', ({ statusCode, rawHeaders }: PlainResponse) => {
        if (isProxied && statusCode === 407) refuse(new ProxyRefusal('407'));
        else resolve({ status: statusCode, rawHeaders, body: stream });
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

function lengthOf(body: RequestBody | undefined): { 'content-length'?: string } {
  return body?.length === undefined ? {} : { 'content-length': String(body.length) };
}

function write(content: string | Uint8Array | Readable, stream: Duplex): void {
  if (!(content instanceof Readable)) {
    stream.end(content);
    return;
  }
  content.on('error', (error) => stream.destroy(error));
  stream.on('close', () => content.destroy());
  content.pipe(stream);
}

/** Too many of them, or a change of the protocol, which no request asks for. */
function refuseOddInterimResponses(request: ClientRequest, refuse: (error: ProtocolViolation) => void): void {
  let interimResponses = 0;
  request.on('information', () => {
    interimResponses += 1;
    if (interimResponses > MAX_INTERIM_RESPONSES) refuse(new ProtocolViolation('HPE_TOO_MANY_INTERIM'));
  });
  request.once('upgrade', (_response, socket) => {
    socket.destroy();
    refuse(new ProtocolViolation('HPE_INVALID_STATUS'));
  });
}

function hasNoBody(method: string, { statusCode }: IncomingMessage): boolean {
  return statusCode === 204 || statusCode === 304 || (method === 'HEAD' && statusCode !== 407);
}

/** It is complete with its head, whatever follows on the connection. */
function answerWithoutBody(answer: IncomingMessage, stream: Readable): HopResponse {
  if (announcesBody(answer)) stream.destroy();
  else stream.resume();
  return { status: answer.statusCode ?? 0, rawHeaders: answer.rawHeaders, body: Readable.from([]) };
}

/** The body that a 204 announces would be read as the next answer on the connection. */
function announcesBody({ statusCode, headers }: IncomingMessage): boolean {
  if (statusCode !== 204 && statusCode !== 304) return false;
  return Number(headers['content-length'] ?? 0) !== 0 || headers['transfer-encoding'] !== undefined;
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
    kept: agents(keeping),
    unkept: proxy === undefined ? agents(options) : keepingNone(agents(keeping)),
  };
}

/**
 * Agents that destroy each connection after its response. Without `keepAlive` they would shut it down first. If a
 * tunnel is reset during that, Node 24.21 never finishes the shutdown and does not exit.
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
