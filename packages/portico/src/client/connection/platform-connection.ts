import { type Readable } from 'node:stream';
import { type CallObserver, harmless, withCallReport } from './call-report.js';
import { Bulkhead } from './bulkhead.js';
import { type CircuitName, type Circuits } from './circuits.js';
import { type PlatformClientOptions, readClientSettings, type ClientSettings } from './client-options.js';
import { CallsInFlight, type CallInFlight } from './calls-in-flight.js';
import { PlatformError } from '../../errors/platform-error.js';
import { PlatformHttpError } from '../../errors/error-classes.js';
import { type Party } from './fair-queue.js';
import { isAuthPath, isLogout, mayBeRepeated, operationOf } from './operations.js';
import { PlatformResponse } from './platform-response.js';
import { followRedirects, locationOf, type RequestLine } from './redirects.js';
import { ResponseHeaders } from './response-headers.js';
import { RetryBudget, withOneRetry } from './retry.js';
import { networkFailure } from '../transport/network-failure.js';
import { decodeBody, readBody } from '../transport/read-body.js';
import { discard, sendHop } from '../transport/send-hop.js';
import { type HopResponse, type Transport } from '../transport/transport.js';

/** One call of a session. */
export interface Exchange {
  readonly line: RequestLine;
  /** Path below the base URL of the session. */
  readonly path: string;
  /** Who the call is made for: by default the session alone. */
  readonly party: Party;
  /** Headers of one hop: its cookies depend on the URL, its content type on whether it still has a body. */
  readonly headersOf: (line: RequestLine) => Record<string, string>;
  /** Called with each redirect before it is followed. */
  readonly onRedirect: (response: PlatformResponse) => void;
  /** False for login and delegate: redirects are failures. */
  readonly mayFollow: boolean;
  /** Whether a transient failure is retried once: only for reads. */
  readonly mayRetry: boolean;
  readonly signal: AbortSignal | undefined;
  /** Called before more of a large response is read, and before it is parsed. */
  readonly onLarge: (() => Promise<void>) | undefined;
}

const MAX_HEADER_FIELDS = 1000;

/**
 * Sockets for logins, delegations and logouts, and for everything else, including new connections. A single slow
 * operation can hold half of them, and one account two thirds of that.
 */
const SOCKETS = { auth: 128, data: 192 } as const;

/**
 * A response with a larger body takes milliseconds to parse, and a compressed one is several times as large as its
 * body.
 */
const LARGE_BYTES = { plain: 256 * 1024, packed: 32 * 1024 } as const;

/**
 * The connection to one platform: settings and sockets; circuit, deadline, retry, redirects and hop, in this order.
 * Knows no session.
 */
export class PlatformConnection {
  readonly settings: ClientSettings;
  readonly #transport: Transport;
  readonly #circuits: Circuits | undefined;
  readonly #calls = new CallsInFlight();
  readonly #retries = new RetryBudget(() => this.#calls.size);
  readonly #bulkheads: Readonly<Record<CircuitName, Bulkhead>>;

  /** @throws TypeError that names the unusable option */
  constructor(options: PlatformClientOptions) {
    this.settings = readClientSettings(options);
    this.#transport = this.settings.makeTransport();
    this.#circuits = this.settings.makeCircuits();
    const { maxCallsPerSession } = this.settings;
    this.#bulkheads = {
      auth: new Bulkhead(SOCKETS.auth, maxCallsPerSession),
      data: new Bulkhead(SOCKETS.data, maxCallsPerSession),
    };
  }

  /** Makes the call and returns the response, whatever its status. Rejects only with a `PlatformError`. */
  exchange(exchange: Exchange): Promise<PlatformResponse> {
    const { path, party, line, signal } = exchange;
    return this.#calls.run(this.settings.timeoutMs, signal, (call) => {
      const made = (): Promise<PlatformResponse> =>
        withCallReport({ method: line.method, path }, this.settings, (observer) =>
          this.#send(exchange, call, observer),
        );
      // A logout releases what the platform holds for a session, so it is tried even while the circuit is open.
      if (this.#circuits === undefined || isLogout(line.method, path)) return made();
      return this.#circuits.run(isAuthPath(path) ? 'auth' : 'data', party, call, made);
    });
  }

  /** One call, with its redirects and its retry, if the call allows them. */
  async #send(exchange: Exchange, call: CallInFlight, observer: CallObserver): Promise<PlatformResponse> {
    const { maxRedirects, now } = this.settings;
    const hop = (line: RequestLine): Promise<PlatformResponse> => this.#hop(line, exchange, call, observer);
    const onRedirect = (response: PlatformResponse): void => {
      harmless(() => observer.redirected?.(response.status));
      exchange.onRedirect(response);
    };
    const send = (): Promise<PlatformResponse> =>
      exchange.mayFollow ? followRedirects(exchange.line, maxRedirects, hop, onRedirect) : hop(exchange.line);
    try {
      if (!exchange.mayRetry) return await send();
      return await withOneRetry(call, this.#retries, now, send, (cause) => {
        harmless(() => observer.retried?.(cause));
      });
    } catch (error) {
      throw call.endedBy ?? error;
    }
  }

  /** Waits for a socket and makes one hop over it. */
  async #hop(
    line: RequestLine,
    exchange: Exchange,
    call: CallInFlight,
    observer: CallObserver,
  ): Promise<PlatformResponse> {
    const { party, path } = exchange;
    const { signal } = call;
    signal.throwIfAborted();
    const bulkhead = this.#bulkheads[isAuthPath(path) ? 'auth' : 'data'];
    const user = { party, operation: operationOf(exchange.line.method, path) };
    const entered = bulkhead.enter(user, signal);
    const leave = entered instanceof Promise ? await call.wait(entered) : entered;
    const { onLarge: wait } = exchange;
    const onLarge = wait && ((): Promise<void> => call.wait(wait()));
    try {
      const headers = { ...observer.headers, ...exchange.headersOf(line) };
      const request = { ...line, headers, signal };
      const sent = sendHop(this.#transport, request, mayBeRepeated(line.method, path));
      return await this.#responseOf(line, await sent, onLarge);
    } catch (error) {
      throw error instanceof PlatformError ? error : networkFailure(error);
    } finally {
      leave();
    }
  }

  async #responseOf(
    line: RequestLine,
    { status, rawHeaders, body }: HopResponse,
    onLarge: (() => Promise<void>) | undefined,
  ): Promise<PlatformResponse> {
    const headers = new ResponseHeaders(rawHeaders);
    // The body of a redirect says nothing, and may take as long as it likes.
    if (locationOf(status, headers) !== undefined && headers.valuesOf('content-length')[0] !== '0') {
      discard(body);
      return new PlatformResponse(status, headers, Buffer.alloc(0), line.url);
    }
    const bytes = await this.#bodyOf(body, headers, onLarge);
    if (onLarge !== undefined && bytes.body.byteLength > LARGE_BYTES.plain) await onLarge();
    if (headers.fields.filter(([name]) => !/^set-cookie$/i.test(name)).length > MAX_HEADER_FIELDS) {
      throw new PlatformHttpError(`The response has more than ${MAX_HEADER_FIELDS} header fields.`);
    }
    return new PlatformResponse(status, headers, bytes.body, line.url, bytes.isDecoded);
  }

  /** The decoded body, or its raw bytes if they cannot be decoded as labeled; the status still counts then. */
  async #bodyOf(
    body: Readable,
    headers: ResponseHeaders,
    onLarge: (() => Promise<void>) | undefined,
  ): Promise<{ body: Buffer; isDecoded: boolean }> {
    const { maxResponseBytes } = this.settings;
    const codings = headers.valuesOf('content-encoding').join(',');
    if (codings === '') {
      const large = onLarge && { bytes: LARGE_BYTES.plain, wait: onLarge };
      return { body: await readBody(body, maxResponseBytes, large), isDecoded: true };
    }
    // Compressed bytes may be a little longer than the content.
    const large = onLarge && { bytes: LARGE_BYTES.packed, wait: onLarge };
    const packed = await readBody(body, 2 * maxResponseBytes, large);
    const unpacked = await decodeBody(packed, codings, maxResponseBytes);
    return { body: unpacked ?? packed, isDecoded: unpacked !== undefined };
  }

  /** Closes the sockets. Calls in flight fail, and later calls are refused. */
  close(): Promise<void> {
    this.#calls.close();
    return this.#transport.close();
  }
}
