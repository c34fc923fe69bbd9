import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (32,768 and up), so that none of those takes a port between
 * the look and the start of the server that it is for.
 */
const FIRST_PORT = 12_000;
const PORTS = 10_000;
/** A node of a Redis cluster also takes the port this far above its own, and does not start where there is none. */
const CLUSTER_BUS = 10_000;

/**
 * Each worker has ports of its own, and gives none twice: the port of a server that a test has killed must stay free, or
 * Sentinel takes the server of another test for the one that has died.
 */
const WORKERS = 5;
const OF_WORKER = PORTS / WORKERS;
const first = FIRST_PORT + (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS) * OF_WORKER;
let next = process.pid * 97;

/** A loopback port that is free, for a node of a Redis cluster too. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (next++ % OF_WORKER);
    if ((await isFree(port)) && (await isFree(port + CLUSTER_BUS))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const isListening = new Promise<boolean>((resolve) => {
    probe
      .once('listening', () => {
        resolve(true);
      })
      .once('error', () => {
        resolve(false);
      });
  });
  probe.listen(port, '127.0.0.1');
  if (!(await isListening)) return false;
  probe.close();
  await once(probe, 'close');
  return true;
}
