import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { noteSecret } from '../secrets/secret-ledger.js';
import { startPlatform } from '../../../packages/portico/test/support/embedded-platform/start-platform.js';

/** What is told of the calls that pass. */
export interface Watch {
  /** @param operation method and path below the REST root, such as `GET projects`. */
  onCall?(operation: string): void;
  onAnswer?(answer: IncomingMessage): void;
}

/** An embedded platform behind a proxy that passes everything on as it is, and tells of it. */
export interface WatchedPlatform {
  readonly baseUrl: string;
  close(): Promise<void>;
}

export async function startWatchedPlatform(watch: Watch): Promise<WatchedPlatform> {
  const platform = await startPlatform();
  const { hostname, port, pathname } = new URL(platform.baseUrl);
  const proxy = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    watch.onCall?.(`${method} ${url.slice(pathname.length).replace(/^\/|\?.*$/g, '')}`);
    const forward = request({ hostname, port, method, path: url, headers }, (answer) => {
      const token = answer.headers['x-svc-authtoken'];
      if (typeof token === 'string') noteSecret(token);
      watch.onAnswer?.(answer);
      outgoing.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${pathname}`,
    close: async () => {
      proxy.close();
      proxy.closeAllConnections();
      await platform.close();
    },
  };
}
