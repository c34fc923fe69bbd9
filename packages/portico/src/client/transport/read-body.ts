import { pipeline, Readable, type Transform } from 'node:stream';
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
  // A body that failed before it was read will send no more events.
  if (body.destroyed && !body.readableEnded) return Promise.reject(body.errored ?? endedEarly());
  return new Promise((resolve, reject) => {
    const bytes = new ArrivedBytes(limit);
    body.on('data', (chunk: Buffer) => {
      if (bytes.size + chunk.byteLength > limit) {
        reject(tooLarge(limit));
        // Also closes the socket.
        body.destroy();
        return;
      }
      bytes.add(chunk);
      if (large !== undefined && bytes.size > large.bytes) {
        const { wait } = large;
        large = undefined;
        body.pause();
        void wait().then(
          () => body.resume(),
          (error: unknown) => body.destroy(error as Error),
        );
      }
    });
    body.on('end', () => {
      resolve(bytes.take());
    });
    body.on('error', reject);
    body.on('close', () => {
      if (!body.readableEnded) reject(endedEarly());
      // undici keeps the body until V8 collects the old generation. Without this, what was read and its whole request
      // would stay as long.
      freeBytes(bytes.take());
      large = undefined;
    });
  });
}

/** A body up to this size stays in the chunks that it arrives in, so one that waits has no room for what may come. */
const CHUNKS_BYTES = 512 * 1024;
/** Room for most large bodies; the system gives memory for it only as it is written. */
const ROOM_BYTES = 4 * 1024 * 1024;

/** What has arrived of a body. */
class ArrivedBytes {
  size = 0;
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #whole: Buffer<ArrayBuffer> | undefined;

  /** @param limit what will never be exceeded */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * The chunks of a large body are copied to their place as they arrive, so V8 frees each right away. Kept until the
   * end, they would stay until it collects the old generation.
   */
  add(chunk: Buffer): void {
    const end = this.size + chunk.byteLength;
    if (this.#whole === undefined && end <= CHUNKS_BYTES) this.#chunks.push(chunk);
    else this.#withRoom(end).set(chunk, this.size);
    this.size = end;
  }

  #withRoom(bytes: number): Buffer {
    const before = this.#whole;
    if (before !== undefined && before.byteLength >= bytes) return before;
    const whole = largeBytes(Math.min(Math.max(ROOM_BYTES, 2 * bytes), Math.max(ROOM_BYTES, this.#limit)));
    let at = 0;
    for (const chunk of before === undefined ? this.#chunks : [before]) {
      whole.set(chunk, at);
      at += chunk.byteLength;
    }
    this.#chunks = [];
    this.#whole = whole;
    return whole;
  }

  /** All of it, which is forgotten here. */
  take(): Buffer {
    const whole = this.#whole;
    const [first, ...others] = this.#chunks;
    this.#whole = undefined;
    this.#chunks = [];
    if (whole !== undefined) {
      return ownBytes(whole.subarray(0, this.size));
    }
    if (first === undefined) return Buffer.alloc(0);
    return others.length === 0 ? first : Buffer.concat([first, ...others]);
  }
}

/** Memory that belongs to the bytes in it, and to nothing else. */
const own = new WeakSet<ArrayBufferLike>();
/** Memory that was given back, for what comes next: new pages take longer than all the rest of reading. */
const spare: ArrayBuffer[] = [];
const MOST_SPARE = 2;
const SPARE_MS = 10_000;
let forgetSpare: NodeJS.Timeout | undefined;

/** Bytes for something large, in memory of their own. What they hold before they are written is of no meaning. */
export function largeBytes(size: number): Buffer<ArrayBuffer> {
  // Of a few sizes, so that most of it can be used again.
  const rounded = Math.ceil(size / ROOM_BYTES) * ROOM_BYTES;
  const at = spare.findIndex(({ byteLength }) => byteLength === rounded);
  const [memory] = at < 0 ? [] : spare.splice(at, 1);
  return memory === undefined ? Buffer.allocUnsafeSlow(rounded) : Buffer.from(memory);
}

/** Marks bytes whose memory holds nothing else, so that {@link freeBytes} may give it back. */
export function ownBytes(bytes: Buffer): Buffer {
  own.add(bytes.buffer);
  return bytes;
}

/**
 * Gives the memory of large bytes back, which V8 would keep until it collects the old generation: with a few hundred
 * of them, most of the work of the process would be to collect. Whatever still refers to them finds them empty. Other
 * bytes are left alone.
 */
export function freeBytes(bytes: Buffer): void {
  const { buffer } = bytes as Buffer<ArrayBuffer>;
  if (!own.delete(buffer)) return;
  const isKept = buffer.byteLength % ROOM_BYTES === 0 && spare.length < MOST_SPARE;
  const memory = buffer.transfer(isKept ? buffer.byteLength : 0);
  if (!isKept) return;
  spare.push(memory);
  forgetSpare ??= setTimeout(() => {
    spare.length = 0;
    forgetSpare = undefined;
  }, SPARE_MS).unref();
}

function endedEarly(): Error {
  return Object.assign(new Error('The body ended early.'), { code: 'ECONNRESET' });
}

/** The codings to ask for, in the `Accept-Encoding` header. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

type Decode = (bytes: Buffer, options: zlib.ZlibOptions) => Promise<Buffer<ArrayBuffer>>;

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
  const applied = knownCodings(codings);
  if (applied.length > MAX_CODINGS) return undefined;
  let decoded: Buffer | undefined = bytes;
  for (const coding of applied.reverse()) {
    if (decoded === undefined || decoded.byteLength === 0) break;
    decoded = await decodeOnce(decoded, DECODERS.get(coding) ?? [], limit);
  }
  if (decoded !== undefined && decoded.byteLength > limit) throw tooLarge(limit);
  return decoded;
}

function knownCodings(codings: string): string[] {
  return codings
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => DECODERS.has(coding));
}

/**
 * Decodes a body while it arrives. An unknown coding leaves the bytes as they are, and so does a label that a proxy
 * kept when it unpacked a JSON body.
 * @param codings the value of `Content-Encoding`
 * @throws PlatformHttpError when there are too many codings
 */
export async function decodedStream(body: Readable, codings: string): Promise<Readable> {
  const applied = knownCodings(codings).reverse();
  const [outermost] = applied;
  if (outermost === undefined) return body;
  if (applied.length > MAX_CODINGS) {
    body.destroy();
    throw new PlatformHttpError('The response of the platform has too many content codings.');
  }
  const chunks = body.iterator() as AsyncIterator<Buffer, undefined>;
  const first = await chunks.next();
  if (first.done === true) return Readable.from([]);
  async function* whole(): AsyncGenerator<Buffer> {
    for (let next: IteratorResult<Buffer, undefined> = first; next.done !== true; next = await chunks.next())
      yield next.value;
  }
  const packed = Readable.from(whole(), { objectMode: false });
  if (isUnpacked(first.value, outermost)) return packed;
  const decoders = applied.map((coding, at) => decoderOf(coding, at === 0 ? first.value[0] : undefined));
  return pipeline([packed, ...decoders], () => body.destroy()) as Transform;
}

/** Only brotli has no mark at its start. */
function isUnpacked(start: Buffer, coding: string): boolean {
  return coding !== 'br' && /^\s*[[{]/.test(start.toString('latin1', 0, 64));
}

/** @param first the first byte of the body, if the coding is the outermost one */
function decoderOf(coding: string, first = ZLIB_DEFLATE): Transform {
  if (coding === 'br') return zlib.createBrotliDecompress();
  if (coding === 'zstd') return zlib.createZstdDecompress();
  return coding === 'deflate' && (first & 0xf) !== ZLIB_DEFLATE
    ? zlib.createInflateRaw()
    : zlib.createUnzip();
}

/** The lower half of the first byte of a stream in the format of zlib (RFC 1950, 2.2). */
const ZLIB_DEFLATE = 8;

async function decodeOnce(
  bytes: Buffer,
  decoders: readonly Decode[],
  limit: number,
): Promise<Buffer | undefined> {
  for (const decode of decoders) {
    try {
      const decoded = await decode(bytes, { maxOutputLength: limit });
      // Put together from many pieces, it is the only user of its memory.
      if (decoded.byteLength > CHUNKS_BYTES) own.add(decoded.buffer);
      return decoded;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    }
  }
  // A proxy unpacked the body and kept the label.
  return /^\s*[[{]/.test(bytes.toString('latin1', 0, 64)) ? bytes : undefined;
}

export function tooLarge(limit: number): PlatformHttpError {
  return new PlatformHttpError(`The response of the platform is larger than ${limit} bytes.`);
}
