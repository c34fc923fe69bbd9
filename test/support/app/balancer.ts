import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';

const POLL_MS = 100;

/** A balancer as people run it before two instances: it asks `/readyz` and sends requests, over kept connections, to those that are ready. */
export interface Balancer {
  readonly url: string;
  /** Puts an instance in, which gets requests as soon as it is ready. */
  add(url: string): void;
  remove(url: string): void;
  /** Whether an instance gets requests. */
  isReady(url: string): boolean;
  close(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const instances = new Map<string, boolean>();
  let turn = 0;

  const poll = async (): Promise<void> => {
    for (const url of instances.keys()) {
      const isReady = await fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (instances.has(url)) instances.set(url, isReady);
    }
  };
  let polling = Promise.resolve();
  const timer = setInterval(() => {
    polling = polling.then(poll);
  }, POLL_MS);

  /** Sends a request once, to one instance: a balancer does not repeat a POST. */
  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    const ready = [...instances].filter(([, isReady]) => isReady).map(([url]) => url);
    const target = ready[(turn += 1) % Math.max(ready.length, 1)];
    if (target === undefined) return void response.writeHead(503).end('no instance');
    const { method, url: path, headers } = incoming;
    const outgoing = request(new URL(path ?? '/', target), { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] });
      answer.pipe(response);
    });
    outgoing.on('error', ({ message }) => response.headersSent || response.writeHead(502).end(message));
    incoming.pipe(outgoing);
  };
  const server = createServer(forward).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (url) => void instances.set(url, false),
    remove: (url) => void instances.delete(url),
    isReady: (url) => instances.get(url) === true,
    close: async () => {
      clearInterval(timer);
      await polling;
      agent.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
