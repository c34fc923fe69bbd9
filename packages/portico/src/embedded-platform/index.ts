import { once } from 'node:events';
import { type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

import { createPlatformServer } from './server.js';
import { createPlatform } from './platform.js';
import { type EmbeddedCall } from './own-routes.js';
import { completeOptions, type EmbeddedPlatformOptions } from './settings.js';

export { DEMO_LOGINS } from './directory.js';
export { type EmbeddedPlatformOptions } from './settings.js';
export { type EmbeddedCall, type EmbeddedRoute, type EmbeddedRouteContext } from './own-routes.js';

const LOOPBACK = '127.0.0.1';

/**
 * A platform that runs in this process.
 * @example
 * const restart = (running: EmbeddedPlatform): void => running.expireSessions();
 * restart(platform);
 */
export interface EmbeddedPlatform extends AsyncDisposable {
  /** The REST root, without a final slash: `http://127.0.0.1:3100/api`. */
  readonly baseUrl: string;
  /** Stops immediately: open connections are cut and all sessions are lost. Safe to call again. */
  readonly close: () => Promise<void>;
  /** The latest calls, at most 1,000, the oldest first. No token and no body is in them. */
  readonly calls: readonly EmbeddedCall[];
  /** Ends all sessions: the next call of each is told that it has expired. */
  readonly expireSessions: () => void;
}

/**
 * Starts a platform that speaks the real protocol, with demo users, demo projects and scenarios, on 127.0.0.1 only.
 *
 * @param options where it listens, its clock, and routes of your own
 * @throws TypeError for an option that cannot be used, and Node's own error (`EADDRINUSE`, `EACCES`, …) for a port
 * that it cannot listen on. Nothing stays open then.
 * @example
 * await using platform = await startEmbeddedPlatform({ idleSeconds: 60 });
 * await using session = new PlatformSession(platform.baseUrl);
 * await session.login({ username: 'demo', password: 'demo' });
 */
export async function startEmbeddedPlatform(
  options: EmbeddedPlatformOptions = {},
): Promise<EmbeddedPlatform> {
  const settings = completeOptions(options);
  const platform = createPlatform(settings);
  const server = createPlatformServer(platform);
  server.listen(settings.port, LOOPBACK);
  await once(server, 'listening');
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= stop(server));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://${LOOPBACK}:${port}${settings.contextPath}`,
    calls: platform.calls,
    expireSessions: () => {
      platform.sessions.endAll();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
