import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Answering, or a way to fail: `silent` takes a request and never answers, `hanging-up` cuts the connection. */
export type StoreMood = 'ready' | 'denied' | 'throttled' | 'failing' | 'malformed' | 'silent' | 'hanging-up';

export type FailureKind = 'not-found' | 'denied' | 'throttled' | 'failing';

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** One store's wire protocol: how it reads a request for a secret and words its answers. */
export interface SecretStoreProtocol {
  /** Answers what comes before a secret is asked for (logins, challenges); nothing when it is that request. */
  beforehand?(request: IncomingMessage): WireAnswer | undefined;
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

/** Starts a secret store on a free loopback port. Its errors gossip: they hold the secrets and request headers. */
export async function startSecretStore(protocol: SecretStoreProtocol): Promise<LoopbackSecretStore> {
  const secrets = new Map<string, string | Buffer>();
  const state = { mood: 'ready' as StoreMood, preludes: 0, fetches: 0, abandoned: 0 };
  let lastRequest: IncomingHttpHeaders | undefined;

  const answer = (request: IncomingMessage, body: string): WireAnswer | 'nothing' | 'hang-up' => {
    const early = protocol.beforehand?.(request);
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
    if (state.mood === 'malformed') return { status: 200, headers: {}, body: `<html>${gossip}</html>` };
    if (state.mood !== 'ready') return protocol.failure(state.mood, gossip);
    if (name === undefined || secret === undefined) return protocol.failure('not-found', gossip);
    return protocol.found(name, secret, body);
  };

  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const wire = answer(request, body);
      if (wire === 'nothing') response.on('close', () => (state.abandoned += 1));
      else if (wire === 'hang-up') request.socket.destroy();
      else response.writeHead(wire.status, wire.headers).end(wire.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    port,
    url: `http://127.0.0.1:${port}`,
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
