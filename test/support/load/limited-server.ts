import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { fastify, type FastifyInstance } from 'fastify';
import { addAnswerHeaders } from '../../../src/http/answer-headers.js';
import { answerBrokenHttp } from '../../../src/http/broken-request.js';
import { readCallers } from '../../../src/http/caller.js';
import { readJsonBodies } from '../../../src/http/json-body.js';
import { limitLoad, type Load, type LoadOptions } from '../../../src/load/limit-load.js';

/** A server whose load is limited, without the rest of the service. */
export interface LimitedServer {
  readonly server: FastifyInstance;
  readonly load: Load;
  /** What it has logged. */
  readonly log: () => string;
  /** The sockets that it holds. */
  readonly open: ReadonlySet<Socket>;
  /** A connection to it that is not read until it is resumed. */
  readonly connect: (options?: {
    readonly localAddress?: string;
    allowHalfOpen?: boolean;
  }) => Promise<Socket>;
  readonly close: () => Promise<void>;
}

/** @param routes adds what it serves. */
export async function startLimitedServer(
  routes: (server: FastifyInstance) => void,
  options: Partial<LoadOptions> = {},
): Promise<LimitedServer> {
  let log = '';
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      log += line.toString();
      done();
    },
  });
  const server = fastify({
    forceCloseConnections: true,
    clientErrorHandler: answerBrokenHttp,
    logger: { level: 'warn', stream },
  });
  addAnswerHeaders(server, () => false);
  readCallers(server, {
    sessionHeader: 'authorization',
    isRouter: () => false,
    allowsHost: () => true,
    trustsProxies: false,
  });
  const limits = {
    inFlight: 1000,
    perSession: 100,
    isStopping: () => false,
    trustsProxies: false,
    logoutHashes: [],
  };
  const load = limitLoad(server, { ...limits, ...options });
  readJsonBodies(server, load.admit);
  routes(server);
  const open = new Set<Socket>();
  server.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const callers: Socket[] = [];
  return {
    server,
    load,
    log: () => log,
    open,
    connect: async (given = {}) => {
      const socket = connect({ port, host: '127.0.0.1', ...given });
      callers.push(socket);
      socket.on('error', () => undefined);
      socket.pause();
      await once(socket, 'connect');
      return socket;
    },
    close: async () => {
      for (const socket of callers) socket.destroy();
      await server.close();
    },
  };
}
