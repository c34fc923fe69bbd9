import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createInflate, createUnzip } from 'node:zlib';
import { PlatformHttpError } from '../../errors/error-classes.js';

/** What `readBody` can decode, as the client announces it. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * Reads a body to its end, decoded, and stops at the first byte past the limit, so that a small bomb stays small.
 * @param limit decoded bytes
 * @throws PlatformHttpError when the limit is passed or the encoding is unknown
 */
export async function readBody(body: Readable, encoding: string | undefined, limit: number): Promise<Buffer> {
  const decoded = decode(body, encoding);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > limit)
        throw new PlatformHttpError(`The answer of the platform is larger than ${limit} bytes.`);
      chunks.push(chunk);
    }
  } finally {
    // Ends the socket too, when the reading ended early.
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
      throw new PlatformHttpError('The answer of the platform has an encoding that was not asked for.');
  }
}

/** A failure of the pipeline reaches the reader through the stream that it reads. */
function ignore(): void {
  return;
}
