import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Registry } from 'prom-client';

const REQUEST_TIMEOUT_MS = 5000;

/** The separate port for metrics. */
export interface MetricsListener {
  /** The URL of the metrics. */
  readonly url: string;
  close(): Promise<void>;
}

/** Answers `GET /metrics`, and nothing else. */
export async function listenForMetrics(
  registry: Registry,
  host: string,
  port: number,
): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
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
