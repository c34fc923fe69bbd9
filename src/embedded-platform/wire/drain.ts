import { type IncomingMessage } from 'node:http';

const MAX_BYTES = 1024 * 1024;
const MAX_MS = 1000;

/**
 * Reads on, and drops what it reads, after a request was refused half-way: a connection closed with bytes unread
 * is reset, and the caller would lose the answer. Ends with the request, after 1 MB or after a second.
 */
export function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const timer = setTimeout(stop, MAX_MS);
    function stop(): void {
      clearTimeout(timer);
      request.off('data', drop).off('close', stop).off('end', stop).pause();
      resolve();
    }
    function drop(chunk: Buffer): void {
      size += chunk.length;
      if (size > MAX_BYTES) stop();
    }
    request.on('data', drop).on('end', stop).on('close', stop).resume();
  });
}
