import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ManualClock } from '../../../packages/portico/test/support/manual-clock.js';
import { noteSecret } from '../secrets/secret-ledger.js';
import { startPlatform } from '../../../packages/portico/test/support/embedded-platform/start-platform.js';

/** What is told of the calls that pass. An operation is method and path below the REST root, such as `GET projects`. */
export interface Watch {
  onCall?(operation: string): void;
  onAnswer?(answer: IncomingMessage, operation: string): void;
  /** Gives what is passed on in place of the body of a call, as soon as that may be. */
  changeBody?(operation: string, body: string): Promise<string>;
}

/** An embedded platform behind a proxy that passes everything on, as it is unless it is told otherwise. */
export interface WatchedPlatform {
  readonly baseUrl: string;
  readonly clock: ManualClock;
  close(): Promise<void>;
}

export async function startWatchedPlatform(watch: Watch): Promise<WatchedPlatform> {
  const platform = await startPlatform();
  const { hostname, port, pathname } = new URL(platform.baseUrl);
  const proxy = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const operation = `${method} ${url.slice(pathname.length).replace(/^\/|\?.*$/g, '')}`;
    watch.onCall?.(operation);
    const begin = (sent: typeof headers): ClientRequest =>
      request({ hostname, port, method, path: url, headers: sent }, (answer) => {
        const token = answer.headers['x-svc-authtoken'];
        if (typeof token === 'string') noteSecret(token);
        watch.onAnswer?.(answer, operation);
        outgoing.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
        answer.pipe(outgoing);
      }).on('error', () => outgoing.destroy());
    if (watch.changeBody === undefined) {
      incoming.pipe(begin(headers));
      return;
    }
    const { 'content-length': _length, ...others } = headers;
    void text(incoming)
      .then((body) => watch.changeBody?.(operation, body))
      .then((body) => begin(others).end(body));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${pathname}`,
    clock: platform.clock,
    close: async () => {
      proxy.close();
      proxy.closeAllConnections();
      await platform.close();
    },
  };
}
