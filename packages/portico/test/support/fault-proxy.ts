import { createConnection, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll } from 'vitest';

/** What goes wrong between client and server. Byte counts are of the answer, per connection. */
export type Fault =
  | { readonly kind: 'none' }
  /** The answer comes later. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** The answer comes in pieces with pauses between. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }
  /** The connection ends in the middle of the answer. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** The connection is reset in the middle of the answer, or before it with 0. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** Nothing ever comes back. */
  | { readonly kind: 'blackhole' };

export interface FaultProxy {
  readonly port: number;
  /** Connections accepted so far. */
  readonly connections: number;
  /** Faults of the connections to come, in turn; the last one stays. */
  setFaults(...faults: [Fault, ...Fault[]]): void;
  /** No longer listens: connections are refused until `accept`. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  close(): Promise<void>;
}

/** A TCP proxy on loopback in front of a port, for any protocol; closed after the test file. */
export async function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  let faults: Fault[] = [{ kind: 'none' }];
  let connections = 0;
  let server: Server | undefined;
  const sockets = new Set<Socket>();

  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const join = (client: Socket): void => {
    connections += 1;
    const fault = (faults.length > 1 ? faults.shift() : faults[0]) ?? { kind: 'none' };
    const target = createConnection(targetPort, '127.0.0.1');
    track(client);
    track(target);
    client.on('close', () => target.destroy()).pipe(target);
    if (fault.kind !== 'blackhole') answerThrough(fault, target, client);
  };
  const listen = (port: number): Promise<Server> =>
    new Promise((resolve, reject) => {
      const listening = createServer(join);
      listening.once('error', reject).listen(port, '127.0.0.1', () => {
        resolve(listening);
      });
    });
  const refuse = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      if (server === undefined) {
        resolve();
        return;
      }
      server.close(() => {
        resolve();
      });
      server = undefined;
    });

  server = await listen(0);
  const { port } = server.address() as AddressInfo;
  openProxies.add(refuse);
  return {
    port,
    get connections() {
      return connections;
    },
    setFaults: (...next) => (faults = [...next]),
    refuse,
    accept: async () => {
      server ??= await listen(port);
    },
    close: refuse,
  };
}

const openProxies = new Set<() => Promise<void>>();
afterAll(async () => {
  await Promise.all([...openProxies].map((close) => close()));
});

function answerThrough(fault: Exclude<Fault, { kind: 'blackhole' }>, target: Socket, client: Socket): void {
  let passed = 0;
  const timers = new Set<NodeJS.Timeout>();
  client.on('close', () => {
    for (const timer of timers) clearTimeout(timer);
  });
  const later = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  };
  const drip = (bytes: number, everyMs: number, chunk: Buffer, from = 0): void => {
    client.write(chunk.subarray(from, from + bytes));
    if (from + bytes >= chunk.byteLength) return;
    later(everyMs, () => {
      drip(bytes, everyMs, chunk, from + bytes);
    });
  };
  target.on('data', (chunk: Buffer) => {
    switch (fault.kind) {
      case 'none':
        client.write(chunk);
        return;
      case 'latency':
        later(fault.ms, () => client.write(chunk));
        return;
      case 'drip':
        drip(fault.bytes, fault.everyMs, chunk);
        return;
      case 'cut':
      case 'reset': {
        const part = chunk.subarray(0, Math.max(0, fault.afterBytes - passed));
        passed += part.byteLength;
        if (part.byteLength > 0) client.write(part);
        if (passed < fault.afterBytes) return;
        if (fault.kind === 'cut') client.end();
        else client.resetAndDestroy();
      }
    }
  });
  target.on('close', () => {
    if (fault.kind === 'none') client.end();
  });
}
