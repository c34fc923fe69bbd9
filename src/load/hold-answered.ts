import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type FastifyInstance } from 'fastify';
import { type Admission } from './admission.js';
import { type LoadLimit } from './load-limit.js';

/** Tells whether the process is busy, and takes the connections that have been answered meanwhile. */
export interface Holder {
  readonly limit: Pick<LoadLimit, 'isShedding'>;
  readonly answered: Admission['answered'];
}

/**
 * While the process is busy, a connection that has just been answered is not read until its next request can find a place.
 * Otherwise callers who ask again at once would have so many requests refused that no time is left for answers.
 *
 * @param isProbe whether a path is that of a probe: its connection is always read.
 */
export function holdAnswered(
  server: FastifyInstance,
  holder: Holder,
  isProbe: (path: string | undefined) => boolean,
): void {
  server.server.on('request', ({ socket, url }: IncomingMessage, response: ServerResponse) => {
    if (!holder.limit.isShedding || isProbe(url?.split('?', 1)[0])) return;
    // Later than Node's own last look at the connection, which would read it again.
    response.once('close', () => setImmediate(holder.answered, socket));
  });
}
