import { createServer, request as forward, type IncomingHttpHeaders } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll } from 'vitest';

/** A request as the proxy saw it. */
export interface ProxiedRequest {
  readonly method: string;
  /** `host:port` for CONNECT, otherwise a whole URL. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export interface HttpProxy {
  /** Without credentials. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ProxiedRequest[];
  /** All bytes that came from clients, tunnels included. */
  readonly received: () => string;
  /** Resets the connections of all clients. */
  dropAll(): void;
  close(): Promise<void>;
}

/**
 * An HTTP proxy on 127.0.0.1: CONNECT, and requests in absolute form, from which it removes what is meant for it alone. Closed
 * after the test file.
 * @param credentials `user:password` that it asks for
 */
export async function startHttpProxy(credentials?: string): Promise<HttpProxy> {
  const requests: ProxiedRequest[] = [];
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const expected =
    credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const isWelcome = (headers: IncomingHttpHeaders): boolean =>
    expected === undefined || headers['proxy-authorization'] === expected;

  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    requests.push({ method, target: url, headers });
    if (!isWelcome(headers)) {
      outgoing.writeHead(407, { 'proxy-authenticate': 'Basic' }).end('No');
      return;
    }
    const { 'proxy-authorization': _credentials, 'proxy-connection': _connection, ...rest } = headers;
    const onward = forward(url, { method, headers: rest }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    requests.push({ method: 'CONNECT', target: url, headers });
    if (!isWelcome(headers)) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.on('data', (chunk: Buffer) => chunks.push(chunk));
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy()).on('close', () => target.destroy());
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      for (const socket of sockets) socket.destroy();
    });
  openProxies.add(close);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    received: () => Buffer.concat(chunks).toString('latin1'),
    dropAll: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close,
  };
}

const openProxies = new Set<() => Promise<void>>();
afterAll(async () => {
  await Promise.all([...openProxies].map((close) => close()));
});
