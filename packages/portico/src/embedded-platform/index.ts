import { once } from 'node:events';
import { type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

import { createPlatformServer } from './server.js';
import { createPlatform } from './platform.js';
import { completeOptions, type EmbeddedPlatformOptions } from './settings.js';

export { DEMO_LOGINS } from './directory.js';
export { type EmbeddedPlatformOptions } from './settings.js';

const LOOPBACK = '127.0.0.1';

/** A platform that runs in this process. */
export interface EmbeddedPlatform {
  /** The REST root, without a final slash: `http://127.0.0.1:3100/api`. */
  readonly baseUrl: string;
  /** Stops immediately: open connections are cut and all sessions are lost. Safe to call again. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a platform that speaks the real protocol, with demo users, demo projects and scenarios, on 127.0.0.1 only.
 *
 * @throws TypeError for an option that cannot be used, and Node's own error (`EADDRINUSE`, `EACCES`, …) for a port
 * that it cannot listen on. Nothing stays open then.
 */
export async function startEmbeddedPlatform(
  options: EmbeddedPlatformOptions = {},
): Promise<EmbeddedPlatform> {
  const settings = completeOptions(options);
  const server = createPlatformServer(createPlatform(settings));
  server.listen(settings.port, LOOPBACK);
  await once(server, 'listening');
  let closed: Promise<void> | undefined;
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://${LOOPBACK}:${port}${settings.contextPath}`,
    close: () => (closed ??= stop(server)),
  };
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
