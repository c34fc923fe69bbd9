import { type Readable } from 'node:stream';
import { type Proxy } from './proxy.js';
import { type TlsTrust } from './tls-trust.js';

/** The body of a request. */
export interface RequestBody {
  /** Sent unless the caller names another one. */
  readonly contentType: string | undefined;
  /** In bytes; undefined when that shows only while it is sent. */
  readonly length: number | undefined;
  /** Whether it can be opened more than once. */
  readonly isRepeatable: boolean;
  open(): string | Uint8Array | Readable;
  /** What the caller's own stream failed with. */
  readonly failure?: unknown;
}

/** One request over one hop. */
export interface HopRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody | undefined;
  readonly signal: AbortSignal;
  /**
   * Whether it gets a connection of its own, which is closed after the response. Default: any kept connection will
   * do.
   */
  readonly needsNewConnection?: boolean;
}

/** The response of one hop: complete header section, body not yet read or decoded. */
export interface HopResponse {
  readonly status: number;
  /** Names and values alternating, with repeated names kept separate. */
  readonly rawHeaders: readonly string[];
  readonly body: Readable;
}

/**
 * One HTTP hop: bytes out, status and raw headers in, body as a stream. It does not follow redirects, retry, keep
 * cookies or decode. A failure rejects with what the library throws, with {@link StaleConnectionError} or
 * {@link ProxyRefusal}; `networkFailure` translates it.
 */
export interface Transport {
  send(request: HopRequest): Promise<HopResponse>;
  /** Closes the sockets; calls in flight fail. */
  close(): Promise<void>;
}

/** How a transport connects. */
export interface ConnectionOptions {
  readonly trust: TlsTrust;
  /** Where to connect to instead of the platform, if anywhere. */
  readonly proxy?: Proxy | undefined;
  /** Milliseconds for which an idle connection is kept. Default {@link MAX_IDLE_MS}. */
  readonly maxIdleMs?: number;
}

/** Creates a transport. */
export type TransportFactory = (options: ConnectionOptions) => Transport;

/** A kept connection ended before the first byte of a response: the server may have closed it while it was idle. */
export class StaleConnectionError extends Error {
  /** @param cause what the library threw; it contains the request */
  constructor(cause: unknown) {
    super('A kept connection ended before the first byte of a response.', { cause });
  }
}

/** The proxy answered in place of the platform: it did not connect, or wants other credentials. */
export class ProxyRefusal extends Error {
  /** HTTP status of the proxy's answer, if known. */
  readonly status: string | undefined;

  constructor(status: string | undefined) {
    super('The proxy refused to connect to the platform.');
    this.status = status;
  }
}

/**
 * An answer that breaks HTTP in a way for which the library has no error of its own; `networkFailure` reads the code.
 */
export class ProtocolViolation extends Error {
  readonly code: `HPE_${string}`;

  constructor(code: `HPE_${string}`) {
    super(code);
    this.code = code;
  }
}

/** undici cannot read a `100 Continue` that was not asked for, although HTTP allows one (RFC 9110, 15.2). */
export class UnreadableContinueError extends Error {}

/** Header section bytes that both transports accept; more is a protocol error. */
export const MAX_HEADER_BYTES = 256 * 1024;

/** Interim responses (1xx) that may precede one answer; more are a protocol error. */
export const MAX_INTERIM_RESPONSES = 100;

/**
 * How long a connection is kept unused. Shorter than the time after which servers and balancers close one (Node 5 s,
 * Apache 5 s, Tomcat 20 s). A shorter `Keep-Alive: timeout` from the server is used instead, less {@link
 * KEEP_ALIVE_MARGIN_MS}.
 */
export const MAX_IDLE_MS = 4000;

/** How long before the server's announced close a connection is given up. */
export const KEEP_ALIVE_MARGIN_MS = 1000;
