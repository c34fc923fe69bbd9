import { readBaseUrl } from './base-url.js';
import { type CallObservers } from './call-report.js';
import { Circuits } from './circuits.js';
import { rejectUnknownOptions, type PlatformClientOptions, type UnusableCookie } from './client-options.js';
import { readIServerMessages, type IServerMessages } from '../../errors/iserver-messages.js';
import { DeferredTransport, TRANSPORTS } from '../transport/deferred-transport.js';
import { readProxy } from '../transport/proxy.js';
import { readTlsTrust } from '../transport/tls-trust.js';
import { type Transport } from '../transport/transport.js';
import { VendorHeaders } from './vendor-headers.js';

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
