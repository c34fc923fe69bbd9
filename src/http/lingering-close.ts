import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** Node reads this much of a refused body itself, and the connection stays usable. */
const KEPT_BYTES = 64 * 1024;
/** A longer body is read on up to here, and then the connection is closed. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_MS = 5_000;

/** The length of a body in bytes; infinite if the head does not say. */
export function bodyLength(headers: IncomingHttpHeaders): number {
  if (headers['transfer-encoding'] !== undefined) return Infinity;
  return Number(headers['content-length'] ?? 0);
}

/** Whether an answer given now comes before the end of a body that is too long to keep the connection for. */
export function comesEarly(request: IncomingMessage): boolean {
  return !request.complete && bodyLength(request.headers) > KEPT_BYTES;
}

/**
 * Reads what is left of a refused body and throws it away, up to 4 MB and for at most 5 s. A connection that is
 * closed while the other side still writes is reset, and the reset can destroy the answer on its way: proxies then
 * report a failed instance (RFC 9112, 9.6). Never rejects.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const end = (): void => {
      clearTimeout(timer);
      request.off('data', count);
      resolve();
    };
    const count = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      if (bytes > MOST_BYTES) end();
    };
    const timer = setTimeout(end, MOST_MS).unref();
    request.on('data', count).once('end', end).once('close', end);
    request.resume();
    if (request.destroyed || request.readableEnded) end();
  });
}
