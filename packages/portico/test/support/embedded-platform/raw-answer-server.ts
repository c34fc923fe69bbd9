import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

import { afterAll } from 'vitest';

import { type RawRequest, takeRequest } from './raw-request.js';

/** A part of an answer: bytes, a string with one byte a character, or a wait before what follows. */
export type RawPart = string | Uint8Array | (() => Promise<unknown>);

/**
 * What happens to the connection after an answer.
 *
 * - `keep`: it waits for the next request.
 * - `close`: it is closed, whatever the answer's headers say.
 * - `reset`: it is reset.
 * - `reset-on-next-use`: it stays open, and is reset at the first byte of the next request, which is not read.
 */
export type AfterAnswer = 'keep' | 'close' | 'reset' | 'reset-on-next-use';

/** The exact bytes of one answer. No header is added, checked or corrected. */
export interface RawAnswer {
  /**
   * Interim responses are parts like any other. Each part is written on its own, with the event loop run in between, so
   * that it usually arrives on its own; what must arrive together goes in one part. No parts: no answer.
   */
  readonly parts: RawPart | readonly RawPart[];
  /** Default: what the server's `afterAnswer` says. */
  readonly then?: AfterAnswer;
}

/** Answers by `METHOD path` below the base, or by `*`; of a list, each answers once and the last one from then on. */
export type RawAnswers = Readonly<Record<string, RawAnswer | readonly RawAnswer[]>>;

export interface SeenRawRequest extends RawRequest {
  /** Which connection it came by, counted from 1. */
  readonly connection: number;
}

export interface RawAnswerServer {
  /** REST root with its final `/`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Requests that were read whole, in the order of their arrival. */
  readonly requests: readonly SeenRawRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Connections open now. */
  readonly openConnections: number;
  /** Connections that were reset on their next use. */
  readonly resetsOnUse: number;
  /** Requests read so far by `METHOD path`. */
  count(route: string): number;
  /** Does to every connection without a request in progress what an answer's `then` would do. */
  treatIdle(how: Exclude<AfterAnswer, 'keep'>): void;
  close(): Promise<void>;
}

export interface RawAnswerServerOptions {
  /** Context path. Default `/api`. */
  readonly path?: string;
  /** Default `keep`. */
  readonly afterAnswer?: AfterAnswer;
}

interface Connection {
  readonly socket: Socket;
  readonly number: number;
  received: Buffer;
  isAnswering: boolean;
  resetsOnNextUse: boolean;
}

/** The head of an answer: its lines and the empty line that ends it. */
export function head(...lines: readonly string[]): string {
  return [...lines, '', ''].join('\r\n');
}

/**
 * A TCP server on 127.0.0.1 that reads HTTP requests and answers each with the bytes it was given, right or wrong.
 * A request without an answer in `answers` closes its connection unanswered. Closed after the test file.
 */
export async function startRawAnswerServer(
  answers: RawAnswers,
  options: RawAnswerServerOptions = {},
): Promise<RawAnswerServer> {
  const { path: base = '/api', afterAnswer = 'keep' } = options;
  const open = new Set<Connection>();
  const requests: SeenRawRequest[] = [];
  let connections = 0;
  let resetsOnUse = 0;

  const routeOf = ({ method, target }: RawRequest): string =>
    `${method} ${target.slice(base.length + 1).split('?', 1)[0] ?? ''}`;
  const count = (route: string): number => requests.filter((request) => routeOf(request) === route).length;

  const serve = async (connection: Connection): Promise<void> => {
    if (connection.isAnswering) return;
    connection.isAnswering = true;
    for (;;) {
      const taken = takeRequest(connection.received);
      if (taken === undefined || connection.socket.destroyed) break;
      connection.received = taken.rest;
      requests.push({ ...taken.request, connection: connection.number });
      const route = routeOf(taken.request);
      const { parts, then = afterAnswer } = answerFor(answers, route, count(route));
      await send(connection.socket, parts);
      if (then === 'reset') await timeToArrive();
      treat(connection, then);
    }
    connection.isAnswering = false;
  };

  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    const connection: Connection = {
      socket,
      number: connections,
      received: Buffer.alloc(0),
      isAnswering: false,
      resetsOnNextUse: false,
    };
    open.add(connection);
    socket.on('close', () => open.delete(connection));
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (connection.resetsOnNextUse) {
        resetsOnUse += 1;
        socket.resetAndDestroy();
        return;
      }
      connection.received = Buffer.concat([connection.received, chunk]);
      serve(connection).catch((error: unknown) => socket.destroy(error as Error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      for (const { socket } of open) socket.destroy();
    });
  openServers.add(close);
  return {
    baseUrl: `http://127.0.0.1:${port}${base}/`,
    port,
    requests,
    get connections() {
      return connections;
    },
    get openConnections() {
      return open.size;
    },
    get resetsOnUse() {
      return resetsOnUse;
    },
    count,
    treatIdle: (how) => {
      for (const connection of open) if (!connection.isAnswering) treat(connection, how);
    },
    close,
  };
}

const openServers = new Set<() => Promise<void>>();
afterAll(async () => {
  await Promise.all([...openServers].map((close) => close()));
});

function answerFor(answers: RawAnswers, route: string, nth: number): RawAnswer {
  const list = [answers[route] ?? answers['*'] ?? { parts: [], then: 'close' as const }].flat();
  return list[Math.min(nth, list.length) - 1] ?? { parts: [], then: 'close' };
}

/** Resolves in the same turn in which the last bytes were written: by the time they arrive, the connection is idle. */
async function send(socket: Socket, parts: RawAnswer['parts']): Promise<void> {
  let hasSent = false;
  for (const part of [parts].flat()) {
    if (typeof part === 'function') {
      await part();
      continue;
    }
    if (hasSent) await timeToArrive();
    if (socket.destroyed) return;
    socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    hasSent = true;
  }
}

/** One turn of the event loop to send, one for the other side to read where it runs in this process. */
async function timeToArrive(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

function treat(connection: Connection, how: AfterAnswer): void {
  const { socket } = connection;
  switch (how) {
    case 'keep':
      return;
    case 'close':
      // Closed both ways, as servers do: a request that is still sent meets a reset.
      socket.end(() => socket.destroy());
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'reset-on-next-use':
      connection.resetsOnNextUse = true;
  }
}
