import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

/** What happens to the next reply of Redis. */
export type ReplyFault =
  /** It never arrives. */
  | 'lose'
  /** It arrives twice. */
  | 'repeat'
  /** It arrives after the reply that follows it. */
  | 'swap'
  /** Another reply arrives before it, or after it, in the same packet. */
  | { readonly before: string }
  | { readonly after: string };

export interface ReplyProxy {
  readonly url: string;
  /** Connections accepted so far. */
  connections(): number;
  spoil(fault: ReplyFault): void;
  /** Sends a reply that nothing asked for, over every connection. */
  inject(reply: string): void;
  close(): Promise<void>;
}

/** A proxy before a redis-server that loses, adds and mixes up whole replies. */
export async function startReplyProxy(redisPort: number): Promise<ReplyProxy> {
  const clients = new Set<Socket>();
  const all = new Set<Socket>();
  let connections = 0;
  let fault: ReplyFault | undefined;

  const server = createServer((client) => {
    connections += 1;
    clients.add(client);
    const redis = createConnection(redisPort, '127.0.0.1');
    let unread: Buffer = Buffer.alloc(0);
    let held: Buffer | undefined;
    for (const socket of [client, redis]) {
      all.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clients.delete(client);
        client.destroy();
        redis.destroy();
      });
    }
    client.pipe(redis);
    redis.on('data', (bytes) => {
      unread = Buffer.concat([unread, bytes]);
      for (let end = endOfReply(unread, 0); end !== undefined; end = endOfReply(unread, 0)) {
        const reply = unread.subarray(0, end);
        unread = unread.subarray(end);
        const out = spoiled(reply);
        if (out.length > 0) client.write(Buffer.concat(out));
      }
    });
    const spoiled = (reply: Buffer): Buffer[] => {
      const earlier = held;
      held = undefined;
      const now = fault;
      fault = undefined;
      if (earlier !== undefined) return [reply, earlier];
      if (now === undefined) return [reply];
      if (now === 'lose') return [];
      if (now === 'repeat') return [reply, reply];
      if (now === 'swap') {
        held = reply;
        return [];
      }
      return 'before' in now ? [Buffer.from(now.before), reply] : [reply, Buffer.from(now.after)];
    };
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${port}`,
    connections: () => connections,
    spoil: (next) => (fault = next),
    inject: (reply) => {
      for (const client of clients) client.write(reply);
    },
    close: async () => {
      for (const socket of all) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Where the reply that begins at a place ends; undefined while it is not complete. */
function endOfReply(bytes: Buffer, at: number): number | undefined {
  const lineEnd = bytes.indexOf('\r\n', at);
  if (lineEnd === -1) return undefined;
  const [type, size] = [
    bytes.toString('latin1', at, at + 1),
    Number(bytes.toString('latin1', at + 1, lineEnd)),
  ];
  let end: number | undefined = lineEnd + 2;
  if (type === '$' && size >= 0) end += size + 2;
  if (type === '*' || type === '%') {
    for (let part = 0; part < size * (type === '%' ? 2 : 1) && end !== undefined; part += 1)
      end = endOfReply(bytes, end);
  }
  return end !== undefined && end <= bytes.length ? end : undefined;
}
