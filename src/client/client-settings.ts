import { readBaseUrl } from './base-url.js';
import type { PlatformCall } from './call-report.js';
import { Circuits, type CircuitChange } from './circuits.js';
import { readIServerMessages, type IServerMessages, type IServerMessageSource } from './iserver-messages.js';
import { GotTransport } from './transport/got-transport.js';
import { readTlsTrust } from './transport/tls-trust.js';
import type { Transport, TransportFactory } from './transport/transport.js';
import { UndiciTransport } from './transport/undici-transport.js';
import { VendorHeaders } from './vendor-headers.js';

/** How the client reaches the platform. Only the base URL is needed. */
export interface PlatformClientOptions {
  /** REST root: absolute, http or https, with or without the final `/`. */
  baseUrl: string;
  /** Vendor segment of the `X-<vendor>-…` headers. Default `SVC`. */
  vendor?: string;
  /** Redirects followed at most, within the origin; none for login and delegate. Default 30 (spec: Limits). */
  maxRedirects?: number;
  /** Verify certificates (default true), do not (testing only), or the path of a CA bundle (spec: Limits). */
  tlsVerify?: boolean | string;
  /** Milliseconds for one whole call, redirects and retry included. Default 8000. */
  timeoutMs?: number;
  /** HTTP library: `got` (default) or `undici`; same behaviour, other cost. */
  transport?: 'got' | 'undici';
  /** `applicationType` of a login that names none. Default 8 (spec: Login request body). */
  applicationType?: number;
  /** Decoded bytes of one answer at most. Default 4 MiB. */
  maxResponseBytes?: number;
  /** Further back-end codes and their messages: an object, or the path of a JSON file with one. */
  iserverMessages?: IServerMessageSource;
  /** Milliseconds since the epoch, for cookies and `Retry-After`. Default `Date.now`. */
  now?: () => number;
  /**
   * Whether a platform that keeps failing is left alone for some seconds, in which calls are refused at once. Logins and all
   * other calls are judged apart. Default false: for one user there is nobody else to spare.
   */
  circuitBreaker?: boolean;
  /** Told when a circuit opens and when it closes again. Default: nobody is. */
  onCircuitChange?: (change: CircuitChange) => void;
  /** Told of each call when it has ended, for metrics. Default: nobody is. */
  onCall?: (call: PlatformCall) => void;
}

/** The options, checked and complete. */
export interface ClientSettings {
  readonly baseUrl: URL;
  readonly vendorHeaders: VendorHeaders;
  readonly maxRedirects: number;
  readonly timeoutMs: number;
  readonly applicationType: number;
  readonly maxResponseBytes: number;
  readonly iserverMessages: IServerMessages;
  readonly now: () => number;
  readonly makeCircuits: () => Circuits | undefined;
  readonly onCall: ((call: PlatformCall) => void) | undefined;
  readonly makeTransport: () => Transport;
}

const TRANSPORTS: Record<'got' | 'undici', TransportFactory> = {
  got: (trust) => new GotTransport(trust),
  undici: (trust) => new UndiciTransport(trust),
};

/** setTimeout takes no more. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Checks the options.
 * @throws TypeError that names the option that cannot be used
 */
export function readSettings(options: PlatformClientOptions): ClientSettings {
  const transport = options.transport ?? 'got';
  if (!Object.hasOwn(TRANSPORTS, transport)) throw new TypeError('transport: "got" or "undici" is needed.');
  const trust = readTlsTrust(options.tlsVerify ?? true);
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    vendorHeaders: new VendorHeaders(options.vendor ?? 'SVC'),
    maxRedirects: integer('maxRedirects', options.maxRedirects ?? 30, 0),
    timeoutMs: integer('timeoutMs', options.timeoutMs ?? 8000, 1, LONGEST_TIMEOUT_MS),
    applicationType: integer('applicationType', options.applicationType ?? 8, 0),
    maxResponseBytes: integer('maxResponseBytes', options.maxResponseBytes ?? 4 * 1024 * 1024, 1),
    iserverMessages: readIServerMessages(options.iserverMessages),
    now: options.now ?? Date.now,
    makeCircuits: () =>
      options.circuitBreaker ? new Circuits(options.onCircuitChange ?? undefined) : undefined,
    onCall: options.onCall ?? undefined,
    makeTransport: () => TRANSPORTS[transport](trust),
  };
}

function integer(name: string, value: number, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(`${name}: an integer from ${least} to ${most} is needed.`);
}
