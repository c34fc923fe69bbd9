import { createServer } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';

/** A server of one empty page, for a browser to act from its origin. */
export interface PageServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startPageServer(): Promise<PageServer> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title><body></body>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
