import { type Readable } from 'node:stream';
import { PlatformHttpError } from '../../errors/error-classes.js';

/** What is done once a body turns out to have more bytes than this. */
export interface Large {
  readonly bytes: number;
  readonly wait: () => Promise<void>;
}

/**
 * Reads a body as it is sent, and stops at the first byte beyond the limit.
 * @param large the rest of a large body stays on the socket until its wait is over
 * @throws PlatformHttpError when the body exceeds the limit
 */
export function readBody(body: Readable, limit: number, large?: Large): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A body that failed before anybody read it will send no more events.
    if (body.destroyed && !body.readableEnded) {
      reject(body.errored ?? endedEarly());
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    let hasWaited = false;
    body.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > limit) {
        reject(tooLarge(limit));
        // Also closes the socket.
        body.destroy();
        return;
      }
      chunks.push(chunk);
      if (large === undefined || hasWaited || size <= large.bytes) return;
      hasWaited = true;
      body.pause();
      large.wait().then(
        () => body.resume(),
        (error: Error) => {
          reject(error);
          body.destroy();
        },
      );
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
