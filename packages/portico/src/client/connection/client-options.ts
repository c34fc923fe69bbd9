import { type CallObserver, type PlatformCall, type CallObservers } from './call-report.js';
import { type CircuitChange, type Circuits, makeCircuits } from './circuits.js';
import {
  type IServerMessageSource,
  readIServerMessages,
  type IServerMessages,
} from '../../errors/iserver-codes.js';
import { unknownName } from '../../errors/unknown-name.js';
import { readBaseUrl } from './paths.js';
import { DeferredTransport, TRANSPORTS } from '../transport/deferred-transport.js';
import { readProxy } from '../transport/proxy.js';
import { readTlsTrust, type TlsOptions } from '../transport/tls-trust.js';
import { VendorHeaders } from './headers.js';

export { type TlsOptions };

/**
 * A cookie of the platform that is never sent back.
 * @example
 * const report = ({ name, problem }: UnusableCookie): void => console.log(name, problem);
 * await using client = new PlatformClient({ baseUrl, onUnusableCookie: report });
 */
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

/**
 * Lists that were read, by the digest of their response: a `Map`, or a cache with bounds.
 * @example
 * const listCache: ListCache = new Map<string, object[]>();
 * await using client = new PlatformClient({ baseUrl, listCache });
 */
export interface ListCache {
  /** The list of an equal response; undefined when there is none. */
  get(digest: string): object[] | undefined;
  /**
   * Keeps a list.
   * @param bytes of the response; the list takes about four times as many
   */
  set(digest: string, list: object[], bytes: number): unknown;
}

/**
 * How the client reaches the platform. Only the base URL is required.
 * @example
 * const options: PlatformClientOptions = { baseUrl, transport: 'undici', timeoutMs: 20_000 };
 * await using client = new PlatformClient(options);
 */
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
  /** Certificates in PEM form: `ca` in place of a file; `cert` and `key` where the platform asks for a client's. */
  tls?: TlsOptions;
  /**
   * HTTP proxy to the platform: `http://` URL, with user name and password if it requires them. An https platform is
   * reached by `CONNECT`, so that the proxy sees no header and no body.
   */
  proxy?: string | URL;
  /** Hosts that are reached without the proxy, in the form of `NO_PROXY`. */
  noProxy?: string;
  /**
   * Milliseconds that the platform has for one call, redirects and retry included. They count from when the call has
   * a connection. Default 8000.
   */
  timeoutMs?: number;
  /**
   * Milliseconds that one call may wait for a connection of this client, when more calls are made at once than it has
   * connections for. Default 60000.
   */
  queueTimeoutMs?: number;
  /** HTTP library: `got` (default) or `undici`; same behavior, different cost. */
  transport?: 'got' | 'undici';
  /** `applicationType` of a login that does not set one. Default 8 (spec: Login request body). */
  applicationType?: number;
  /** Maximum decoded bytes of one response. Default 4 MiB. */
  maxResponseBytes?: number;
  /**
   * Calls that one session makes at once; more wait, up to `queueTimeoutMs`. Logins and logouts are counted
   * separately. Default 8.
   */
  maxCallsPerSession?: number;
  /** Additional back-end codes and their messages: an object, or the path of a JSON file. */
  iserverMessages?: IServerMessageSource;
  /**
   * Keeps long lists of projects by the digest of their response, so that equal ones are parsed once: a `Map`, or a
   * cache with bounds. `getProjects` then returns the same list to all whom the platform sends the same bytes: do not
   * change it. Default: none.
   */
  listCache?: ListCache;
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

/**
 * Options of a session with its own connection.
 * @example
 * const options: PlatformSessionOptions = { maxResponseBytes: 1024 * 1024 };
 * await using session = new PlatformSession(baseUrl, options);
 */
export type PlatformSessionOptions = Omit<PlatformClientOptions, 'baseUrl'>;

/** The validated options, with defaults applied. */
export interface ClientSettings extends CallObservers {
  readonly baseUrl: URL;
  readonly vendorHeaders: VendorHeaders;
  readonly maxRedirects: number;
  readonly timeoutMs: number;
  readonly queueTimeoutMs: number;
  readonly applicationType: number;
  readonly maxResponseBytes: number;
  readonly maxCallsPerSession: number;
  readonly iserverMessages: IServerMessages;
  readonly listCache: ListCache | undefined;
  readonly now: () => number;
  readonly makeCircuits: () => Circuits | undefined;
  readonly onUnusableCookie: (cookie: UnusableCookie) => void;
  readonly makeTransport: () => DeferredTransport;
}

/** The longest delay that setTimeout accepts. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Validates the options.
 * @throws TypeError that names the unusable option
 */
export function readClientSettings(options: PlatformClientOptions): ClientSettings {
  if (typeof (options as unknown) !== 'object' || (options as unknown) === null) {
    throw new TypeError('baseUrl is required: pass an object of options that contains it.');
  }
  // A misspelled option would be ignored and its default used.
  requireKnownOptions(options, Object.keys(CLIENT_OPTIONS));
  const transport = options.transport ?? 'got';
  if (!Object.hasOwn(TRANSPORTS, transport)) throw new TypeError('transport must be "got" or "undici".');
  const trust = readTlsTrust(options.tlsVerify ?? true, options.tls ?? {});
  const proxy = readProxy(options.proxy ?? undefined, options.noProxy ?? '');
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    vendorHeaders: new VendorHeaders(options.vendor ?? 'SVC'),
    maxRedirects: integer('maxRedirects', options.maxRedirects ?? 30, 0),
    timeoutMs: integer('timeoutMs', options.timeoutMs ?? 8000, 1, MAX_TIMEOUT_MS),
    queueTimeoutMs: integer('queueTimeoutMs', options.queueTimeoutMs ?? 60_000, 1, MAX_TIMEOUT_MS),
    applicationType: integer('applicationType', options.applicationType ?? 8, 0),
    maxResponseBytes: integer('maxResponseBytes', options.maxResponseBytes ?? 4 * 1024 * 1024, 1),
    maxCallsPerSession: integer('maxCallsPerSession', options.maxCallsPerSession ?? 8, 1),
    iserverMessages: readIServerMessages(options.iserverMessages),
    listCache: options.listCache ?? undefined,
    now: options.now ?? Date.now,
    makeCircuits: () =>
      options.circuitBreaker ? makeCircuits(options.onCircuitChange ?? undefined) : undefined,
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
export const CLIENT_OPTIONS: Record<keyof PlatformClientOptions, true> = {
  baseUrl: true,
  vendor: true,
  maxRedirects: true,
  tlsVerify: true,
  tls: true,
  proxy: true,
  noProxy: true,
  timeoutMs: true,
  queueTimeoutMs: true,
  transport: true,
  applicationType: true,
  maxResponseBytes: true,
  maxCallsPerSession: true,
  iserverMessages: true,
  listCache: true,
  now: true,
  circuitBreaker: true,
  onCircuitChange: true,
  onUnusableCookie: true,
  onCall: true,
  observeCall: true,
};

/** @throws TypeError that names an option that is not known, and the nearest one that is */
export function requireKnownOptions(options: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !known.includes(name)) {
      throw new TypeError(`${name}: unknown option; it ${unknownName(name, known)}`);
    }
  }
}
