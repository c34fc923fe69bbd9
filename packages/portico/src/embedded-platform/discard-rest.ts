import { type IncomingMessage } from 'node:http';

const MAX_BYTES = 1024 * 1024;
const MAX_MS = 1000;

/**
 * Reads and discards the rest of a request that was refused before its end: a connection closed with bytes unread is
 * reset, and the caller would lose the answer. Stops at the end of the request, after 1 MB, or after a second.
 */
export function discardRest(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const timer = setTimeout(stop, MAX_MS);
    function stop(): void {
      clearTimeout(timer);
      request.off('data', discard).off('close', stop).off('end', stop).pause();
      resolve();
    }
    function discard(chunk: Buffer): void {
      size += chunk.length;
      if (size > MAX_BYTES) stop();
    }
    request.on('data', discard).on('end', stop).on('close', stop).resume();
  });
}
