import { type Readable } from 'node:stream';
import { PlatformHttpError } from '../../errors/error-classes.js';

/**
 * Reads a body as it is sent, and stops at the first byte beyond the limit.
 * @throws PlatformHttpError when the body exceeds the limit
 */
export function readBody(body: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A body that failed before anybody read it will send no more events.
    if (body.destroyed && !body.readableEnded) {
      reject(body.errored ?? endedEarly());
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    body.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > limit) {
        reject(tooLarge(limit));
        // Also closes the socket.
        body.destroy();
      } else chunks.push(chunk);
    });
    body.on('end', () => {
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
    });
    body.on('error', reject);
    body.on('close', () => {
      if (!body.readableEnded) reject(endedEarly());
    });
  });
}

function endedEarly(): Error {
  return Object.assign(new Error('The body ended early.'), { code: 'ECONNRESET' });
}

export function tooLarge(limit: number): PlatformHttpError {
  return new PlatformHttpError(`The response of the platform is larger than ${limit} bytes.`);
}
