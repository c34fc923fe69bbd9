import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { type Registry } from 'prom-client';
import { version } from '../config/version.js';

const TIMEOUTS = { requestTimeout: 5000, headersTimeout: 5000, connectionsCheckingInterval: 1000 };
/** Who neither sends nor reads is cut off. */
const IDLE_MS = 10_000;
/** More than all the scrapers of an installation need. */
const MOST_CONNECTIONS = 64;

/** What is running. */
export interface BuildInfo {
  readonly name: string;
  readonly version: string;
  readonly node: string;
}

/** The separate port of the metrics. */
export interface MetricsListener {
  /** The URL of the metrics. */
  readonly url: string;
  close(): Promise<void>;
}

/** Answers `GET /metrics` and `GET /version`, and nothing else. */
export async function listenForMetrics(
  registry: Registry,
  build: BuildInfo,
  host: string,
  port: number,
): Promise<MetricsListener> {
  const metrics = shared(() => registry.metrics());
  const server = serverOf({
    '/metrics': async (response) => {
      const text = await metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    },
    '/version': (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(build));
      return Promise.resolve();
    },
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}/metrics`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

type Pages = Readonly<Record<string, (response: ServerResponse) => Promise<void>>>;

/**
 * A connection that asks again before it has its answer is ended: no scraper does that, and one packet could bring a
 * thousand requests.
 */
function serverOf(pages: Pages): Server {
  const answering = new WeakSet<Socket>();
  const server = createServer(TIMEOUTS, ({ url = '', method, socket }, response) => {
    if (answering.has(socket)) return void socket.destroy();
    answering.add(socket);
    response.once('finish', () => answering.delete(socket));
    const page = Object.hasOwn(pages, url) ? pages[url] : undefined;
    if (page === undefined) return void response.writeHead(404).end();
    if (method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
    page(response).catch(() => response.writeHead(500).end());
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.setTimeout(IDLE_MS);
  return server;
}

/** Those who ask while it is being made get the same. */
function shared<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().finally(() => {
      made = undefined;
    }));
}

/** Describes this service. */
export function buildInfo(): BuildInfo {
  return { name: 'portico', version: version(), node: process.versions.node };
}
