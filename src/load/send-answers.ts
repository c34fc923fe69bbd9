import { Readable } from 'node:stream';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { freeBytes, ownBytes } from 'portico/internal';
import { type Connections } from './connections.js';
import { type RequestSlot } from './request-slot.js';
import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip as gzipWithCallback } from 'node:zlib';

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the answer carries no secret that its length could reveal: by default none is compressed. */
    mayBeCompressed: boolean;
  }
}

/** Smaller answers fit into the buffers of the operating system. */
const LARGE_BYTES = 64 * 1024;

/**
 * Compresses answers, sends the large ones slice by slice, and counts all of them until their readers have taken
 * them.
 */
export function sendAnswers(server: FastifyInstance, connections: Connections): void {
  const compression = new AnswerCompression();
  server.decorateReply('mayBeCompressed', false);
  server.addHook('onSend', (request, reply, payload, done) => {
    // Absent if an earlier hook has answered.
    const slot = (request.slot as RequestSlot | undefined) ?? connections.slotOf(reply.raw);
    slot?.answered();
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) done(null, payload);
    else if (comesEarly(request.raw)) done(null, lingering(payload, request, reply));
    else if (slot === undefined || payload.length < LEAST_BYTES) {
      if (slot !== undefined) connections.hold(slot, payload.length);
      done(null, payload);
    } else {
      void smallest(
        typeof payload === 'string' ? bytesOf(payload) : payload,
        request,
        reply,
        compression,
        connections,
      ).then((bytes) => {
        done(null, held(bytes, slot, reply, connections));
      });
    }
  });
}

function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  // The memory of small ones is shared.
  return bytes.byteLength < LARGE_BYTES ? bytes : ownBytes(bytes);
}

/** An answer that ends, and closes its connection, when the rest of the request has been read. */
function lingering(payload: string | Buffer, { raw }: FastifyRequest, reply: FastifyReply): Readable {
  void reply.header('content-length', Buffer.byteLength(payload)).header('connection', 'close');
  return Readable.from(
    (async function* () {
      yield payload;
      await discardBody(raw);
    })(),
    { objectMode: false },
  );
}

/**
 * Compressed, if the answer may be, the caller accepts that, and there is room. Meanwhile it counts as an unsent
 * answer.
 */
async function smallest(
  bytes: Buffer,
  { headers, caller }: FastifyRequest,
  reply: FastifyReply,
  compression: AnswerCompression,
  connections: Connections,
): Promise<Buffer> {
  if (!reply.mayBeCompressed) return bytes;
  addVary(reply);
  if (!acceptsGzip(headers['accept-encoding'])) return bytes;
  const compressed = await connections.whileHeld(bytes.byteLength, () =>
    compression.gzip(bytes, caller.presented?.handle ?? caller.address),
  );
  if (compressed === undefined) return bytes;
  freeBytes(bytes);
  void reply.header('content-encoding', 'gzip');
  return compressed;
}

function held(
  bytes: Buffer,
  slot: RequestSlot,
  reply: FastifyReply,
  connections: Connections,
): Buffer | Readable {
  void reply.header('content-length', bytes.byteLength);
  connections.hold(slot, bytes.byteLength);
  return bytes.byteLength < LARGE_BYTES ? bytes : connections.pace(slot, bytes);
}

/** What a cache between here and the caller would need to know if it kept the answer. */
function addVary(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  void reply.header('vary', others === undefined ? 'accept-encoding' : `${String(others)}, accept-encoding`);
}

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

const gzip = promisify(gzipWithCallback);

/** Smaller answers fit into what TCP sends before it waits for the first acknowledgment: 10 packets. */
const LEAST_BYTES = 14 * 1024;

/** Higher levels cost much more time and save little. */
const OPTIONS = { level: 3, chunkSize: 64 * 1024, strategy: constants.Z_DEFAULT_STRATEGY };

/** The other threads of the pool look up hosts and write files. */
const AT_ONCE = 2;
const MOST_WAITING = 16;
const MOST_OF_ONE_CALLER = 2;

/**
 * Compresses answers in the thread pool. This is best effort: a caller who requests too much at the same
 * time, or while many others wait, gets the answer uncompressed, so no caller waits for long.
 */
export class AnswerCompression {
  readonly #callers = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /**
   * The bytes as gzip; undefined if they are to be sent as they are. Never rejects.
   *
   * @param caller who shares the compression: a session, or an address.
   */
  async gzip(bytes: Buffer, caller: string): Promise<Buffer | undefined> {
    const mine = this.#callers.get(caller) ?? 0;
    if (mine >= MOST_OF_ONE_CALLER || this.#waiting.length >= MOST_WAITING) return undefined;
    this.#callers.set(caller, mine + 1);
    try {
      await this.#turn();
      try {
        const compressed = await gzip(bytes, OPTIONS);
        return compressed.byteLength < bytes.byteLength ? compressed : undefined;
      } catch {
        return undefined;
      } finally {
        const next = this.#waiting.shift();
        if (next === undefined) this.#running -= 1;
        else next();
      }
    } finally {
      const left = (this.#callers.get(caller) ?? 1) - 1;
      if (left === 0) this.#callers.delete(caller);
      else this.#callers.set(caller, left);
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < AT_ONCE) {
      this.#running += 1;
      return;
    }
    // The one that finishes hands its turn to the next.
    await new Promise<void>((begin) => {
      this.#waiting.push(begin);
    });
  }
}

/** Whether an `Accept-Encoding` accepts gzip: by its name or as `*`, and not with a quality of 0. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const codings = new Map(
    (acceptEncoding ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const quality = parameters.find((text) => text.startsWith('q='))?.slice(2);
      return [name, quality === undefined ? 1 : Number(quality)] as const;
    }),
  );
  return (codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? 0) > 0;
}
