import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, type Socket } from 'node:net';
import { afterAll } from 'vitest';

/** One request as the platform saw it. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query below the base. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An answer, or what writes one. */
export type ScriptedAnswer =
  | {
      readonly status: number;
      /** As an object, or as names and values in turn where a name repeats. */
      readonly headers?: Readonly<Record<string, string>> | readonly string[];
      /** Objects are sent as JSON with their content type. */
      readonly body?: unknown;
    }
  | ((request: SeenRequest, response: ServerResponse) => void | Promise<void>);

/** Answers by `METHOD path`, or by `*` for whatever has none; a list is used up in turn, its last answer stays. */
export type Script = Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>>;

export interface ScriptedPlatform {
  /** REST root with its final `/`. */
  readonly baseUrl: string;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly requests: readonly SeenRequest[];
  /** TCP connections accepted so far. */
  readonly connections: number;
  /** TCP connections open now. */
  readonly openConnections: number;
  /** Requests by `METHOD path`. */
  count(route: string): number;
  close(): Promise<void>;
}

export interface ScriptedPlatformOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Context path. Default `/api`. */
  readonly path?: string;
  /** Whether `requests` holds what was asked. Default true. */
  readonly remembers?: boolean;
}

/** A real HTTP server that answers by a script and remembers all that it was asked; closed after the test file. */
export async function startScriptedPlatform(
  script: Script,
  options: ScriptedPlatformOptions = {},
): Promise<ScriptedPlatform> {
  const base = options.path ?? '/api';
  const requests: SeenRequest[] = [];
  const used = new Map<string, number>();
  let connections = 0;

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const path = (incoming.url ?? '').slice(base.length + 1);
    const request = {
      method: incoming.method ?? '',
      path,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    };
    if (options.remembers ?? true) requests.push(request);
    const route = `${request.method} ${path.split('?')[0] ?? ''}`;
    const scripted = script[route] ??
      script['*'] ?? { status: 404, body: { code: 'ERR004', message: 'No such route' } };
    const nth = used.get(route) ?? 0;
    used.set(route, nth + 1);
    const list = Array.isArray(scripted)
      ? (scripted as readonly ScriptedAnswer[])
      : [scripted as ScriptedAnswer];
    const chosen = list[Math.min(nth, list.length - 1)];
    if (typeof chosen === 'function') await chosen(request, response);
    else if (chosen !== undefined) write(chosen, response);
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    answer(incoming, response).catch(() => response.destroy());
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  let openConnections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    openConnections += 1;
    socket.on('close', () => (openConnections -= 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  openPlatforms.add(close);
  return {
    baseUrl: `${origin}${base}/`,
    origin,
    requests,
    get connections() {
      return connections;
    },
    get openConnections() {
      return openConnections;
    },
    count: (route) =>
      requests.filter(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}` === route).length,
    close,
  };
}

const openPlatforms = new Set<() => Promise<void>>();
afterAll(async () => {
  await Promise.all([...openPlatforms].map((close) => close()));
});

function write(
  answer: Exclude<ScriptedAnswer, (...args: never[]) => unknown>,
  response: ServerResponse,
): void {
  const { status, headers = {}, body } = answer;
  const fields = Array.isArray(headers) ? (headers as string[]) : Object.entries(headers).flat();
  const isData = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  const names = fields.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  if (isData && !names.includes('content-type')) fields.push('content-type', 'application/json');
  response.writeHead(status, fields);
  response.end(isData ? JSON.stringify(body) : body);
}
