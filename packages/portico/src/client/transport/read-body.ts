import { type Readable } from 'node:stream';
import { promisify } from 'node:util';
// Not imported by name: if a Node version lacks one of the names, the import fails before anything can say which Node
// is needed.
import * as zlib from 'node:zlib';
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
        (error: unknown) => body.destroy(error as Error),
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

/** The codings to ask for, in the `Accept-Encoding` header. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

type Decode = (bytes: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>;

const [unzipped, inflatedRaw, unbrotlied, unzstded] = [
  zlib.unzip,
  zlib.inflateRaw,
  zlib.brotliDecompress,
  zlib.zstdDecompress,
].map((decode) => promisify(decode as (...call: unknown[]) => void) as unknown as Decode) as [
  Decode,
  Decode,
  Decode,
  Decode,
];

/** What a label may mean, the likeliest first: `deflate` means zlib, but some servers send the bare stream. */
const DECODERS: ReadonlyMap<string, readonly Decode[]> = new Map([
  ['gzip', [unzipped]],
  ['x-gzip', [unzipped]],
  ['deflate', [unzipped, inflatedRaw]],
  ['br', [unbrotlied]],
  ['zstd', [unzstded]],
]);

/** No honest server nests more codings than this. */
const MAX_CODINGS = 4;

/**
 * Decodes a body. An empty body stays empty, and an unknown coding leaves the bytes as they are, because some servers
 * write a charset or `none` there; the reader of the text notices.
 * @param codings the value of `Content-Encoding`
 * @param limit decoded bytes, so that a decompression bomb stays harmless
 * @returns undefined when the bytes are not in the coding of their label
 * @throws PlatformHttpError when the decoded body exceeds the limit
 */
export async function decodeBody(bytes: Buffer, codings: string, limit: number): Promise<Buffer | undefined> {
  const applied = codings
    .split(',')
    .flatMap((coding) =>
      DECODERS.get(coding.trim().toLowerCase()) === undefined ? [] : [coding.trim().toLowerCase()],
    );
  if (applied.length > MAX_CODINGS) return undefined;
  let decoded: Buffer | undefined = bytes;
  for (const coding of applied.reverse()) {
    if (decoded === undefined || decoded.byteLength === 0) break;
    decoded = await decodeOnce(decoded, DECODERS.get(coding) ?? [], limit);
  }
  if (decoded !== undefined && decoded.byteLength > limit) throw tooLarge(limit);
  return decoded;
}

async function decodeOnce(
  bytes: Buffer,
  decoders: readonly Decode[],
  limit: number,
): Promise<Buffer | undefined> {
  for (const decode of decoders) {
    try {
      return await decode(bytes, { maxOutputLength: limit });
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    }
  }
  // A proxy unpacked the body and kept the label.
  return /^\s*[[{]/.test(bytes.toString('latin1', 0, 64)) ? bytes : undefined;
}

function tooLarge(limit: number): PlatformHttpError {
  return new PlatformHttpError(`The response of the platform is larger than ${limit} bytes.`);
}
