import { type PlatformCall } from './call-report.js';
import { type CircuitChange } from './resilience/circuits.js';
import { type IServerMessageSource } from '../errors/iserver-messages.js';

/** How the client reaches the platform. Only the base URL is needed. */
export interface PlatformClientOptions {
  /** REST root: absolute, http or https, with or without the final `/`. */
  baseUrl: string | URL;
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

/** By type complete, so that no option is forgotten here. */
const CLIENT: Record<keyof PlatformClientOptions, true> = {
  baseUrl: true,
  vendor: true,
  maxRedirects: true,
  tlsVerify: true,
  timeoutMs: true,
  transport: true,
  applicationType: true,
  maxResponseBytes: true,
  iserverMessages: true,
  now: true,
  circuitBreaker: true,
  onCircuitChange: true,
  onCall: true,
};

/**
 * Refuses what is no option of a client: a mistyped one would be ignored, and its default taken.
 * @throws TypeError that names it
 */
export function refuseUnknownOptions(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !Object.hasOwn(CLIENT, name)) {
      throw new TypeError(`${name}: there is no such option.`);
    }
  }
}
