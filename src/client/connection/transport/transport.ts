import { type Readable } from 'node:stream';
import { type TlsTrust } from './tls-trust.js';

/** One request over one hop. */
export interface HopRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
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
 * cookies or decode. A failure rejects with whatever the library throws; `networkFailure` translates it.
 */
export interface Transport {
  send(request: HopRequest): Promise<HopResponse>;
  /** Closes the sockets; calls in flight fail. */
  close(): Promise<void>;
}

/** Creates a transport. */
export type TransportFactory = (trust: TlsTrust) => Transport;

/** Header section bytes that both transports accept; more is a protocol error. */
export const MAX_HEADER_BYTES = 256 * 1024;

/** Maximum sockets to the platform; further calls wait within their deadline. */
export const MAX_SOCKETS = 64;
