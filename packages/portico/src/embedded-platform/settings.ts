import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedCall, type EmbeddedRoute, type FindRoute, readRoutes } from './own-routes.js';

/**
 * How to start the embedded platform.
 * @example
 * const options: EmbeddedPlatformOptions = { path: '/library/api', vendor: 'MSTR' };
 * await using platform = await startEmbeddedPlatform(options);
 */
export interface EmbeddedPlatformOptions {
  /** The port on 127.0.0.1. Default 0: any free one. */
  port?: number;
  /** The context path of every call. Default `/api`. */
  path?: string;
  /** The vendor segment of the `X-<vendor>-…` headers. Default `SVC`. */
  vendor?: string;
  /** Seconds after which an unused session times out. Default 1800. */
  idleSeconds?: number;
  /** How many sessions, and how many unused identity tokens, may exist at the same time. Default 100,000. */
  maxSessions?: number;
  /** Routes of your own, by method and path: `GET reports/{id}`. They come before those of the platform. */
  routes?: Readonly<Record<string, EmbeddedRoute>>;
  /** Called after each call. */
  onCall?: (call: EmbeddedCall) => void;
  /** The clock, in milliseconds. Default `Date.now`. */
  now?: () => number;
  /** Waits before a delayed answer, in milliseconds. Default: a timer. */
  wait?: (ms: number) => Promise<void>;
}

/** The options, checked and with their defaults. */
export interface PlatformSettings {
  readonly port: number;
  /** Without a final slash; empty for the root. */
  readonly contextPath: string;
  readonly cookiePath: string;
  readonly authTokenHeader: string;
  readonly projectIdHeader: string;
  readonly identityTokenHeader: string;
  readonly idleSeconds: number;
  readonly maxSessions: number;
  readonly findRoute: FindRoute;
  readonly onCall: (call: EmbeddedCall) => void;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** The type makes this list complete. */
const KNOWN: Record<keyof EmbeddedPlatformOptions, true> = {
  port: true,
  path: true,
  vendor: true,
  idleSeconds: true,
  maxSessions: true,
  routes: true,
  onCall: true,
  now: true,
  wait: true,
};

/** @throws TypeError that names the unusable or unknown option; otherwise its default would be used silently. */
export function completeOptions(options: EmbeddedPlatformOptions): PlatformSettings {
  for (const [name, value] of Object.entries(options)) {
    check(value === undefined || Object.hasOwn(KNOWN, name), name, 'left out: there is no such option');
  }
  const { port = 0, path = '/api', vendor = 'SVC', idleSeconds = 1800, maxSessions = 100_000 } = options;
  check(/^[A-Za-z0-9]+$/.test(vendor), 'vendor', 'only letters and digits');
  check(/^(\/[\w.~-]+)*\/?$/.test(path), 'path', 'empty or a path that starts with a slash');
  check(idleSeconds > 0 && Number.isFinite(idleSeconds), 'idleSeconds', 'a number above 0');
  check(maxSessions > 0 && Number.isInteger(maxSessions), 'maxSessions', 'a whole number above 0');
  return {
    port,
    contextPath: path.replace(/\/$/, ''),
    // The root of the web application: a deployment below /Library/api sets its cookie for /Library.
    cookiePath: /^\/[^/]*/.exec(path)?.[0] ?? '/',
    authTokenHeader: `X-${vendor}-AuthToken`,
    projectIdHeader: `X-${vendor}-ProjectID`,
    identityTokenHeader: `X-${vendor}-IdentityToken`,
    idleSeconds,
    maxSessions,
    findRoute: readRoutes(options.routes ?? {}),
    onCall: options.onCall ?? (() => undefined),
    now: options.now ?? Date.now,
    // A delayed answer must not keep the process alive after its server has closed.
    wait: options.wait ?? ((ms) => sleep(ms, undefined, { ref: false })),
  };
}

function check(isUsable: boolean, option: string, requirement: string): void {
  if (!isUsable) throw new TypeError(`Option ${option} of the embedded platform must be ${requirement}.`);
}
