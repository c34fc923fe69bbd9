import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Registry } from 'prom-client';
import { version } from '../config/version.js';

const REQUEST_TIMEOUT_MS = 5000;

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
  const pages: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    '/metrics': async (response) => {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    },
    '/version': (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(build));
      return Promise.resolve();
    },
  };
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, ({ url = '', method }, response) => {
    const page = Object.hasOwn(pages, url) ? pages[url] : undefined;
    if (page === undefined) return void response.writeHead(404).end();
    if (method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
    page(response).catch(() => response.writeHead(500).end());
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

/** Describes this service. */
export function buildInfo(): BuildInfo {
  return { name: 'portico', version: version(), node: process.versions.node };
}
