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

/** The answer of one hop: whole header section, body not yet read and not decoded. */
export interface HopResponse {
  readonly status: number;
  /** Names and values in turn, repeated names kept apart. */
  readonly rawHeaders: readonly string[];
  readonly body: Readable;
}

/**
 * One HTTP hop: bytes out, status and raw headers in, body as a stream. It follows nothing, repeats nothing, keeps no
 * cookie and decodes nothing. A failure rejects with whatever the library throws; `networkFailure` makes it ours.
 */
export interface Transport {
  send(request: HopRequest): Promise<HopResponse>;
  /** Closes the sockets; calls in flight fail. */
  close(): Promise<void>;
}

/** How a transport is made. */
export type TransportFactory = (trust: TlsTrust) => Transport;

/** Bytes of header section that both transports take; more is a protocol error. */
export const MAX_HEADER_BYTES = 256 * 1024;

/** Sockets to the platform at once; further calls wait within their deadline. */
export const MAX_SOCKETS = 64;
