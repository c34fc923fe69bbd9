import { type CallObserver, type PlatformCall, type CallObservers } from './call-report.js';
import { type CircuitChange, Circuits } from './circuits.js';
import {
  type IServerMessageSource,
  readIServerMessages,
  type IServerMessages,
} from '../../errors/iserver-messages.js';
import { readBaseUrl } from './base-url.js';
import { DeferredTransport, TRANSPORTS } from '../transport/deferred-transport.js';
import { readProxy } from '../transport/proxy.js';
import { readTlsTrust } from '../transport/tls-trust.js';
import { type Transport } from '../transport/transport.js';
import { VendorHeaders } from './vendor-headers.js';

/** A cookie of the platform that is never sent back. */
export interface UnusableCookie {
  /** Its name; the value is never reported. */
  readonly name: string;
  /**
   * - `secure`: it is for https, and the base URL is http.
   * - `path`: it is for a path that the base URL is not below.
   * - `domain`: it is for a domain that the host of the base URL is not in.
   * - `size`: its name and value are longer than 4,096 bytes.
   * - `limit`: the session already holds 50 cookies, or 8,192 bytes of them.
   * - `malformed`: it is not a cookie, or breaks the rules of its prefix (`__Host-`, `__Secure-`).
   */
  readonly problem: 'secure' | 'path' | 'domain' | 'size' | 'limit' | 'malformed';
}

/** How the client reaches the platform. Only the base URL is required. */
export interface PlatformClientOptions {
  /** REST root: absolute, http or https, with or without the final `/`. */
  baseUrl: string | URL;
  /** Vendor segment of the `X-<vendor>-…` headers. Default `SVC`. */
  vendor?: string;
  /** Maximum number of redirects, within the origin; login and delegate follow none. Default 30 (spec: Limits). */
  maxRedirects?: number;
  /**
   * Verify certificates (default true), skip verification (testing only), or the path of a CA bundle (spec: Limits).
   */
  tlsVerify?: boolean | string;
  /**
   * HTTP proxy to the platform: `http://` URL, with user name and password if it requires them. An https platform is
   * reached by `CONNECT`, so that the proxy sees no header and no body.
   */
  proxy?: string | URL;
  /** Hosts that are reached without the proxy, in the form of `NO_PROXY`. */
  noProxy?: string;
  /** Milliseconds for one whole call, redirects and retry included. Default 8000. */
  timeoutMs?: number;
  /** HTTP library: `got` (default) or `undici`; same behavior, different cost. */
  transport?: 'got' | 'undici';
  /** `applicationType` of a login that does not set one. Default 8 (spec: Login request body). */
  applicationType?: number;
  /** Maximum decoded bytes of one response. Default 4 MiB. */
  maxResponseBytes?: number;
  /**
   * Calls that one session makes at once; more wait within their deadline. Logins and logouts are counted separately.
   * Default 8.
   */
  maxCallsPerSession?: number;
  /** Additional back-end codes and their messages: an object, or the path of a JSON file. */
  iserverMessages?: IServerMessageSource;
  /** Milliseconds since the epoch, for cookies and `Retry-After`. Default `Date.now`. */
  now?: () => number;
  /**
   * Whether calls are refused immediately for some seconds after the platform failed repeatedly. Logins and all other
   * calls have separate circuits. Default false: a single user gains nothing from it.
   */
  circuitBreaker?: boolean;
  /** Called when a circuit opens and when it closes again. */
  onCircuitChange?: (change: CircuitChange) => void;
  /** Called with each cookie of the platform that is dropped because no request would or can send it. */
  onUnusableCookie?: (cookie: UnusableCookie) => void;
  /** Called after each call, for metrics. */
  onCall?: (call: PlatformCall) => void;
  /** Called before each call; what it returns follows the call with its redirects and its retry, for tracing. */
  observeCall?: (call: Pick<PlatformCall, 'method' | 'path'>) => CallObserver | undefined;
}

/** Options of a session with its own connection. */
export type PlatformSessionOptions = Omit<PlatformClientOptions, 'baseUrl'>;

/** The validated options, with defaults applied. */
export interface ClientSettings extends CallObservers {
  readonly baseUrl: URL;
  readonly vendorHeaders: VendorHeaders;
  readonly maxRedirects: number;
  readonly timeoutMs: number;
  readonly applicationType: number;
  readonly maxResponseBytes: number;
  readonly maxCallsPerSession: number;
  readonly iserverMessages: IServerMessages;
  readonly now: () => number;
  readonly makeCircuits: () => Circuits | undefined;
  readonly onUnusableCookie: (cookie: UnusableCookie) => void;
  readonly makeTransport: () => Transport;
}

/** The longest delay that setTimeout accepts. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Validates the options.
 * @throws TypeError that names the unusable option
 */
export function readClientSettings(options: PlatformClientOptions): ClientSettings {
  if (typeof (options as unknown) !== 'object' || (options as unknown) === null) {
    throw new TypeError('baseUrl is required: pass an object of options that contains it.');
  }
  rejectUnknownOptions(options);
  const transport = options.transport ?? 'got';
  if (!Object.hasOwn(TRANSPORTS, transport)) throw new TypeError('transport must be "got" or "undici".');
  const trust = readTlsTrust(options.tlsVerify ?? true);
  const proxy = readProxy(options.proxy ?? undefined, options.noProxy ?? '');
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    vendorHeaders: new VendorHeaders(options.vendor ?? 'SVC'),
    maxRedirects: integer('maxRedirects', options.maxRedirects ?? 30, 0),
    timeoutMs: integer('timeoutMs', options.timeoutMs ?? 8000, 1, MAX_TIMEOUT_MS),
    applicationType: integer('applicationType', options.applicationType ?? 8, 0),
    maxResponseBytes: integer('maxResponseBytes', options.maxResponseBytes ?? 4 * 1024 * 1024, 1),
    maxCallsPerSession: integer('maxCallsPerSession', options.maxCallsPerSession ?? 8, 1),
    iserverMessages: readIServerMessages(options.iserverMessages),
    now: options.now ?? Date.now,
    makeCircuits: () =>
      options.circuitBreaker ? new Circuits(options.onCircuitChange ?? undefined) : undefined,
    onUnusableCookie: (cookie) => {
      try {
        options.onUnusableCookie?.(cookie);
      } catch {
        // An observer must not be able to break the call.
      }
    },
    onCall: options.onCall ?? undefined,
    observeCall: options.observeCall ?? undefined,
    makeTransport: () => new DeferredTransport(() => TRANSPORTS[transport]({ trust, proxy })),
  };
}

function integer(name: string, value: number, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(`${name} must be an integer from ${least} to ${most}.`);
}

/** The type makes this list complete. */
const KNOWN: Record<keyof PlatformClientOptions, true> = {
  baseUrl: true,
  vendor: true,
  maxRedirects: true,
  tlsVerify: true,
  proxy: true,
  noProxy: true,
  timeoutMs: true,
  transport: true,
  applicationType: true,
  maxResponseBytes: true,
  maxCallsPerSession: true,
  iserverMessages: true,
  now: true,
  circuitBreaker: true,
  onCircuitChange: true,
  onUnusableCookie: true,
  onCall: true,
  observeCall: true,
};

/**
 * Rejects unknown options: a misspelled one would be ignored and its default used.
 * @throws TypeError that names it
 */
function rejectUnknownOptions(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !Object.hasOwn(KNOWN, name)) {
      throw new TypeError(`${name}: unknown option.`);
    }
  }
}
