import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { startPlatform } from './start-platform.js';

/** An embedded platform behind a proxy that counts its calls. */
export interface CountedPlatform {
  readonly baseUrl: string;
  /** Calls since the last count, by `METHOD path` below the REST root. */
  calls(): Record<string, number>;
  close(): Promise<void>;
}

export async function startCountedPlatform(): Promise<CountedPlatform> {
  const platform = await startPlatform();
  const { hostname, port, pathname } = new URL(platform.baseUrl);
  let counts = new Map<string, number>();
  const proxy = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const route = `${method} ${url.slice(pathname.length).replace(/^\/|\?.*$/g, '')}`;
    counts.set(route, (counts.get(route) ?? 0) + 1);
    const forward = request({ hostname, port, method, path: url, headers }, (answer) => {
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
    calls: () => {
      const seen = Object.fromEntries(counts);
      counts = new Map();
      return seen;
    },
    close: async () => {
      proxy.close();
      proxy.closeAllConnections();
      await platform.close();
    },
  };
}
