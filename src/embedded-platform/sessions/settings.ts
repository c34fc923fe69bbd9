import { setTimeout as sleep } from 'node:timers/promises';

/** How to start the embedded platform. */
export interface EmbeddedPlatformOptions {
  /** The port on 127.0.0.1; 0 (the default) takes any free one. */
  port?: number;
  /** The context path that every call stands below; default `/api`. */
  path?: string;
  /** The vendor segment of the `X-<vendor>-…` headers; default `SVC`. */
  vendor?: string;
  /** Seconds after which an unused session times out; default 1800. */
  idleSeconds?: number;
  /** Sessions, and identity tokens, held at once; one more is refused. Default 100,000. */
  maxSessions?: number;
  /** The clock, in milliseconds; default `Date.now`. */
  now?: () => number;
  /** How an answer that is late on purpose waits, in milliseconds; default: a timer. */
  wait?: (ms: number) => Promise<void>;
}

/** The options, checked and completed. */
export interface Settings {
  readonly port: number;
  /** Without a final slash; empty for the root. */
  readonly contextPath: string;
  readonly cookiePath: string;
  readonly authTokenHeader: string;
  readonly projectIdHeader: string;
  readonly identityTokenHeader: string;
  readonly idleSeconds: number;
  readonly maxSessions: number;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** @throws TypeError when an option cannot be used; its name is in the message. */
export function readSettings(options: EmbeddedPlatformOptions): Settings {
  const { port = 0, path = '/api', vendor = 'SVC', idleSeconds = 1800, maxSessions = 100_000 } = options;
  check(/^[A-Za-z0-9]+$/.test(vendor), 'vendor', 'letters and digits');
  check(/^(\/[\w.~-]+)*\/?$/.test(path), 'path', 'empty or a path that begins with a slash');
  check(idleSeconds > 0 && Number.isFinite(idleSeconds), 'idleSeconds', 'a number above 0');
  check(maxSessions > 0 && Number.isInteger(maxSessions), 'maxSessions', 'a whole number above 0');
  return {
    port,
    contextPath: path.replace(/\/$/, ''),
    // The web application's root: a deployment below /Library/api sets its cookie for /Library.
    cookiePath: /^\/[^/]*/.exec(path)?.[0] ?? '/',
    authTokenHeader: `X-${vendor}-AuthToken`,
    projectIdHeader: `X-${vendor}-ProjectID`,
    identityTokenHeader: `X-${vendor}-IdentityToken`,
    idleSeconds,
    maxSessions,
    now: options.now ?? Date.now,
    // A late answer must not keep a process alive whose server is closed.
    wait: options.wait ?? ((ms) => sleep(ms, undefined, { ref: false })),
  };
}

function check(holds: boolean, option: string, must: string): void {
  if (!holds) throw new TypeError(`Option ${option} of the embedded platform must be ${must}.`);
}
