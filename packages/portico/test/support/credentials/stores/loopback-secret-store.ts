import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { FAULT_ANSWERS, type FaultAnswer } from './faulty-endpoint.js';

/**
 * Answering, or a way to fail: in the store's own words, as some other server in front of it, `blank` (without what
 * was asked for), `silent` (a request is never answered), `hanging-up` (the connection is cut) or `breaking-off` (it is cut within the answer).
 */
export type StoreMood =
  | 'ready'
  | 'denied'
  | 'throttled'
  | 'failing'
  | 'malformed'
  | 'blank'
  | 'silent'
  | 'hanging-up'
  | 'breaking-off'
  | FaultAnswer;

export type FailureKind = 'not-found' | 'denied' | 'throttled' | 'failing';

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One store's wire protocol: how it reads a request for a secret and words its answers. */
export interface SecretStoreProtocol {
  /** Answers what comes before a secret is asked for (logins, challenges); nothing when it is that request. */
  beforehand?(request: IncomingMessage, body: string): WireAnswer | undefined;
  secretName(request: IncomingMessage, body: string): string | undefined;
  found(name: string, secret: string | Buffer, body: string): WireAnswer;
  /** @param gossip - text that a careless store puts into its errors */
  failure(kind: FailureKind, gossip: string): WireAnswer;
}

export interface LoopbackSecretStore {
  readonly port: number;
  readonly url: string;
  /** How many requests have come that ask for no secret yet: logins and challenges. */
  readonly preludes: number;
  /** How many requests for a secret have come. */
  readonly fetches: number;
  /** How many of them were given up by the one who asked. */
  readonly abandoned: number;
  /** The headers of the last of them. */
  readonly lastRequest: IncomingHttpHeaders | undefined;
  put(name: string, secret: string | Buffer): void;
  become(mood: StoreMood): void;
  close(): Promise<void>;
}

/**
 * Starts a secret store on a free loopback port. Its errors gossip: they hold the secrets and request headers.
 *
 * @param tls - the key and certificate of one that is asked over TLS
 */
export async function startSecretStore(
  protocol: SecretStoreProtocol,
  tls?: { readonly key: string; readonly cert: string },
): Promise<LoopbackSecretStore> {
  const secrets = new Map<string, string | Buffer>();
  const state = { mood: 'ready' as StoreMood, preludes: 0, fetches: 0, abandoned: 0 };
  let lastRequest: IncomingHttpHeaders | undefined;

  const answer = (
    request: IncomingMessage,
    body: string,
  ): WireAnswer | 'nothing' | 'hang-up' | 'break-off' => {
    const early = protocol.beforehand?.(request, body);
    if (early !== undefined) {
      state.preludes += 1;
      return early;
    }
    state.fetches += 1;
    lastRequest = request.headers;
    const name = protocol.secretName(request, body);
    const secret = name === undefined ? undefined : secrets.get(name);
    const gossip = `${[...secrets.values()].join(' ')} ${JSON.stringify(request.headers)}`;
    if (state.mood === 'silent') return 'nothing';
    if (state.mood === 'hanging-up') return 'hang-up';
    if (state.mood === 'breaking-off') return 'break-off';
    if (state.mood === 'malformed') return { status: 200, headers: {}, body: `<html>${gossip}</html>` };
    if (state.mood === 'blank') return jsonAnswer(200, {});
    if (isFault(state.mood)) return FAULT_ANSWERS[state.mood];
    if (state.mood !== 'ready') return protocol.failure(state.mood, gossip);
    if (name === undefined || secret === undefined) return protocol.failure('not-found', gossip);
    return protocol.found(name, secret, body);
  };

  const listener: RequestListener = (request, response) => {
    void readBody(request).then((body) => {
      const wire = answer(request, body);
      if (wire === 'nothing') response.on('close', () => (state.abandoned += 1));
      else if (wire === 'hang-up') request.socket.destroy();
      else if (wire === 'break-off')
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
          .write('{"half', () => request.socket.destroy());
      else response.writeHead(wire.status, wire.headers).end(wire.body);
    });
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    port,
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    get preludes() {
      return state.preludes;
    },
    get fetches() {
      return state.fetches;
    },
    get abandoned() {
      return state.abandoned;
    },
    get lastRequest() {
      return lastRequest;
    },
    put: (name, secret) => void secrets.set(name, secret),
    become: (mood) => void (state.mood = mood),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function isFault(mood: StoreMood): mood is FaultAnswer {
  return Object.hasOwn(FAULT_ANSWERS, mood);
}

export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): WireAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
