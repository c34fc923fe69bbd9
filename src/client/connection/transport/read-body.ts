import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createInflate, createUnzip } from 'node:zlib';
import { PlatformHttpError } from '../../errors/error-classes.js';

/** The encodings that `readBody` decodes, for the `Accept-Encoding` header. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * Reads and decodes a body, and stops at the first byte beyond the limit, so a decompression bomb stays harmless.
 * @param limit decoded bytes
 * @throws PlatformHttpError when the body exceeds the limit or has an unknown encoding
 */
export async function readBody(body: Readable, encoding: string | undefined, limit: number): Promise<Buffer> {
  const decoded = decode(body, encoding);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > limit)
        throw new PlatformHttpError(`The response of the platform is larger than ${limit} bytes.`);
      chunks.push(chunk);
    }
  } finally {
    // Also closes the socket when reading stopped early.
    if (!body.readableEnded) body.on('error', ignore).destroy();
  }
  return Buffer.concat(chunks, size);
}

function decode(body: Readable, encoding: string | undefined): Readable {
  const decoder = decoderOf(encoding);
  return decoder === undefined ? body : pipeline(body, decoder, ignore);
}

function decoderOf(encoding: string | undefined): Transform | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createUnzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new PlatformHttpError('The response of the platform has an encoding that was not requested.');
  }
}

/** The reader sees a pipeline failure through the stream that it reads. */
function ignore(): void {
  return;
}
