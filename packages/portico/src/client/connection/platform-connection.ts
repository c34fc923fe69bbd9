import { type Readable } from 'node:stream';
import { type CallObserver } from './call-report.js';
import { Bulkhead } from './bulkhead.js';
import { type CircuitName, type Circuits } from './circuits.js';
import { type PlatformClientOptions, readClientSettings, type ClientSettings } from './client-options.js';
import { CallsInFlight, type CallInFlight, type CallLimits } from './calls-in-flight.js';
import { PlatformError } from '../../errors/platform-error.js';
import { InvalidRequestError, PlatformHttpError } from '../../errors/error-classes.js';
import { type Party } from './fair-queue.js';
import { mayBeRepeated, operationOf } from './paths.js';
import { OpenResponse, receiveOpen } from './open-response.js';
import { PlatformResponse } from './platform-response.js';
import { followRedirects, locationOf, type RequestLine } from './redirects.js';
import { ResponseHeaders } from './headers.js';
import { RetryBudget, withOneRetry } from './retry.js';
import { networkFailure } from '../transport/network-failure.js';
import { decodeBody, freeBytes, readBody } from '../transport/read-body.js';
import { discard, sendHop } from '../transport/send-hop.js';
import { type DeferredTransport } from '../transport/deferred-transport.js';
import { type HopResponse } from '../transport/transport.js';

/** One call of a session. */
export interface Exchange {
  readonly line: RequestLine;
  /** Path below the base URL of the session. */
  readonly path: string;
  readonly circuit: CircuitName;
  /** Whether the call ends the session on the platform. */
  readonly isLogout: boolean;
  /** Who the call is made for: by default the session alone. */
  readonly party: Party;
  /** Headers of one hop: its cookies depend on the URL, its content type on whether it still has a body. */
  readonly headersOf: (line: RequestLine) => Record<string, string>;
  /** Called with each redirect before it is followed. */
  readonly onRedirect: (response: PlatformResponse) => void;
  /** False for login and delegate: redirects are failures. */
  readonly mayFollow: boolean;
  /** Default: those of the client. */
  readonly maxRedirects?: number | undefined;
  /** Whether a transient failure is retried once: only for reads. */
  readonly mayRetry: boolean;
  readonly signal: AbortSignal | undefined;
  readonly limits: CallLimits;
  /** Decoded bytes of the response; undefined for any number. */
  readonly maxResponseBytes: number | undefined;
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
const LARGE_BYTES = { plain: 128 * 1024, packed: 32 * 1024 } as const;

/**
 * The connection to one platform: settings and sockets; circuit, deadline, retry, redirects and hop, in this order.
 * Knows no session.
 */
export class PlatformConnection {
  readonly settings: ClientSettings;
  readonly #transport: DeferredTransport;
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

  /** Makes the call and returns the complete response, whatever its status. Rejects only with a `PlatformError`. */
  exchange(exchange: Exchange): Promise<PlatformResponse> {
    return this.#make(exchange, (hop, line, call) => this.#responseOf(hop, line, exchange, call));
  }

  /** The same, but the response may still be arriving. Until it has arrived, it keeps its connection. */
  open(exchange: Exchange): Promise<OpenResponse> {
    const { maxResponseBytes: maxBytes, mayFollow } = exchange;
    return this.#make(exchange, (hop, { method, url }, call, keep) => {
      const headers = new ResponseHeaders(hop.rawHeaders);
      if (!mayFollow || locationOf(hop.status, headers) === undefined) {
        return receiveOpen(hop, { method, url, call, maxBytes, keep });
      }
      discard(hop.body);
      return Promise.resolve(new OpenResponse(hop.status, headers, url, Buffer.alloc(0)));
    });
  }

  #make<R extends PlatformResponse>(exchange: Exchange, receive: Receive<R>): Promise<R> {
    const { circuit, isLogout, party, signal, limits } = exchange;
    return this.#calls.run(limits, signal, (call) => {
      // A logout releases what the platform holds for a session, so it is tried even while the circuit is open.
      if (this.#circuits === undefined || isLogout) {
        return this.#report(exchange, receive, call);
      }
      return this.#circuits[circuit].run(party, call, () => this.#report(exchange, receive, call));
    });
  }

  /** One call, with its redirects and its retry, reported to its observers. One that throws changes nothing. */
  async #report<R extends PlatformResponse>(
    exchange: Exchange,
    receive: Receive<R>,
    call: CallInFlight,
  ): Promise<R> {
    const { line, path } = exchange;
    const { onCall, observeCall } = this.settings;
    const observer = observeCall && harmless(observeCall, { method: line.method, path });
    if (onCall === undefined && observer === undefined) return this.#send(exchange, receive, call, NOBODY);
    const start = performance.now();
    let status: number | undefined;
    let failure: unknown;
    try {
      const response = await this.#send(exchange, receive, call, observer ?? NOBODY);
      status = response.status;
      return response;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const made = { method: line.method, path, status, milliseconds: performance.now() - start };
      if (onCall !== undefined) harmless(onCall, made);
      if (observer !== undefined) harmless(() => observer.ended?.(made, failure));
    }
  }

  /** With its redirects and its retry, if the call allows them. */
  async #send<R extends PlatformResponse>(
    exchange: Exchange,
    receive: Receive<R>,
    call: CallInFlight,
    observer: CallObserver,
  ): Promise<R> {
    const { maxRedirects, now } = this.settings;
    const { line, mayFollow, mayRetry } = exchange;
    const hop = (to: RequestLine): Promise<R> => this.#hop(to, exchange, receive, call, observer);
    const onRedirect = (response: R): void => {
      harmless(() => observer.redirected?.(response.status));
      exchange.onRedirect(response);
    };
    const limit = exchange.maxRedirects ?? maxRedirects;
    const send = (): Promise<R> => (mayFollow ? followRedirects(line, limit, hop, onRedirect) : hop(line));
    try {
      if (!mayFollow && !mayRetry) return await hop(line);
      if (!mayRetry) return await send();
      return await withOneRetry(call, this.#retries, now, send, (cause) => {
        harmless(() => observer.retried?.(cause));
      });
    } catch (error) {
      throw call.endedBy ?? error;
    }
  }

  /** Waits for a socket and makes one hop over it. */
  async #hop<R extends PlatformResponse>(
    line: RequestLine,
    exchange: Exchange,
    receive: Receive<R>,
    call: CallInFlight,
    observer: CallObserver,
  ): Promise<R> {
    const { party, path, circuit, isLogout } = exchange;
    const user = { party, operation: operationOf(exchange.line.method, path) };
    const entered = this.#bulkheads[circuit].enter(user, call);
    const leave = entered instanceof Promise ? await call.wait(entered) : entered;
    const kept = { isKept: false };
    const keep = (): (() => void) => {
      kept.isKept = true;
      const release = call.hold();
      return () => {
        leave();
        release();
      };
    };
    try {
      const headers = { ...observer.headers, ...exchange.headersOf(line) };
      const request = { ...line, headers, signal: call.signal };
      const mayResend = mayBeRepeated(line.method, isLogout) && line.body?.isRepeatable !== false;
      const transport = this.#transport.transport ?? (await this.#transport.made());
      const sent = await sendHop(transport, request, mayResend, call);
      return await receive(sent, line, call, keep);
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      throw line.body?.failure === undefined ? networkFailure(error) : unreadableBody(line.body.failure);
    } finally {
      if (!kept.isKept) leave();
    }
  }

  async #responseOf(
    { status, rawHeaders, body }: HopResponse,
    line: RequestLine,
    exchange: Exchange,
    call: CallInFlight,
  ): Promise<PlatformResponse> {
    const wait = exchange.onLarge;
    const onLarge = wait && ((): Promise<void> => call.wait(wait()));
    const headers = new ResponseHeaders(rawHeaders);
    // The body of a redirect says nothing, and may take as long as it likes.
    if (
      status >= 300 &&
      locationOf(status, headers) !== undefined &&
      headers.valuesOf('content-length')[0] !== '0'
    ) {
      discard(body);
      return PlatformResponse.received(status, headers, Buffer.alloc(0), line.url);
    }
    const limit = exchange.maxResponseBytes ?? this.settings.maxResponseBytes;
    if (status === 204) body.on('error', () => undefined).resume();
    const bytes = status === 204 ? NO_BODY : await bodyOf(body, headers, limit, onLarge);
    if (onLarge !== undefined && bytes.body.byteLength > LARGE_BYTES.plain) await onLarge();
    const fields = rawHeaders.length / 2;
    if (fields > MAX_HEADER_FIELDS && fields - headers.valuesOf('set-cookie').length > MAX_HEADER_FIELDS) {
      throw new PlatformHttpError(`The response has more than ${MAX_HEADER_FIELDS} header fields.`);
    }
    return PlatformResponse.received(status, headers, bytes.body, line.url, bytes.isDecoded);
  }

  /** Closes the sockets. Calls in flight fail, and later calls are refused. */
  close(): Promise<void> {
    this.#calls.close();
    return this.#transport.close();
  }
}

const NOBODY: CallObserver = {};

/** Calls an observer, which must not be able to break the call. */
function harmless<A extends unknown[], T>(observe: (...about: A) => T, ...about: A): T | undefined {
  try {
    return observe(...about);
  } catch {
    return undefined;
  }
}

/** Makes a response of what one hop brings. */
type Receive<R> = (
  hop: HopResponse,
  line: RequestLine,
  call: CallInFlight,
  /** Keeps the connection for a body that is still arriving. Returns what gives it back. */
  keep: () => () => void,
) => Promise<R>;

/** A 204 ends with its head (RFC 9110, 15.3.5). */
const NO_BODY = { body: Buffer.alloc(0), isDecoded: true };

/** The decoded body, or its raw bytes if they cannot be decoded as labeled; the status still counts then. */
async function bodyOf(
  body: Readable,
  headers: ResponseHeaders,
  limit: number,
  onLarge: (() => Promise<void>) | undefined,
): Promise<{ body: Buffer; isDecoded: boolean }> {
  const codings = headers.valuesOf('content-encoding').join(',');
  if (codings === '') {
    const large = onLarge && { bytes: LARGE_BYTES.plain, wait: onLarge };
    return { body: await readBody(body, limit, large), isDecoded: true };
  }
  // Compressed bytes may be a little longer than the content.
  const large = onLarge && { bytes: LARGE_BYTES.packed, wait: onLarge };
  const packed = await readBody(body, 2 * limit, large);
  const unpacked = await decodeBody(packed, codings, limit);
  if (unpacked !== undefined && unpacked !== packed) freeBytes(packed);
  return { body: unpacked ?? packed, isDecoded: unpacked !== undefined };
}

function unreadableBody(cause: unknown): InvalidRequestError {
  return new InvalidRequestError('The stream that is the body of the request failed.', { cause });
}
