import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { mayBeCompressed } from './compressible-answers.js';
import { acceptsGzip, AnswerCompression, LEAST_BYTES } from './answer-compression.js';
import { PacedBody } from './paced-body.js';

/** Smaller answers fit into the buffers of the operating system. */
const LARGE_BYTES = 64 * 1024;

/** What may wait for readers. */
export interface UnsentLimits {
  /** A reader that takes nothing for this long is cut off. */
  readonly idleMs: number;
  /** A large answer must be read at least this fast over its whole length. */
  readonly bytesPerSecond: number;
  /** If more bytes wait in all, those that have waited longest for their readers are cut off. */
  readonly bytes: number;
}

export const UNSENT_LIMITS: UnsentLimits = {
  idleMs: 10_000,
  bytesPerSecond: 16 * 1024,
  bytes: 64 * 1024 * 1024,
};

/** Answers that are complete but not yet read. Limits the memory that callers hold by reading slowly or not at all. */
export class UnsentAnswers {
  readonly #limits: UnsentLimits;
  readonly #now: () => number;
  readonly #compression = new AnswerCompression();
  readonly #bodies = new Map<PacedBody, FastifyReply>();
  #bytes = 0;
  /** Called when there is room again. */
  onRoom: () => void = () => undefined;

  /** @param now milliseconds of a monotonic clock. */
  constructor(limits: UnsentLimits = UNSENT_LIMITS, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Bytes of large answers that are compressed or wait for their readers. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether another large answer can be made without one being cut off. */
  readonly hasRoom = (): boolean => this.#bytes < this.#limits.bytes / 2;

  /** Paces the large answers of a server, and limits how long the others wait for their readers. */
  watch(server: FastifyInstance): void {
    server.addHook('onSend', (request, reply, payload, done) => {
      if (typeof payload !== 'string' || payload.length < LEAST_BYTES) {
        this.#limitWait(reply);
        done(null, payload);
        return;
      }
      const bytes = Buffer.from(payload);
      if (!mayBeCompressed(reply.raw)) {
        done(null, this.#sent(bytes, reply));
        return;
      }
      addVary(reply);
      void this.#smallest(bytes, request, reply).then((smallest) => {
        done(null, this.#sent(smallest, reply));
      });
    });
  }

  /** Node uses its own timeout again once the answer is sent. */
  #limitWait(reply: FastifyReply): void {
    reply.raw.setTimeout(this.#limits.idleMs);
  }

  /** Compressed, if the caller accepts that and there is room for it. Meanwhile it counts as an unsent answer. */
  async #smallest(bytes: Buffer, request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    if (!acceptsGzip(request.headers['accept-encoding'])) return bytes;
    this.#bytes += bytes.byteLength;
    const compressed = await this.#compression.gzip(bytes, callerOf(request));
    this.#bytes -= bytes.byteLength;
    if (compressed === undefined) return bytes;
    void reply.header('content-encoding', 'gzip');
    return compressed;
  }

  #sent(bytes: Buffer, reply: FastifyReply): Buffer | PacedBody {
    void reply.header('content-length', bytes.byteLength);
    // A caller who has hung up reads nothing, and its connection does not close again.
    if (reply.raw.destroyed) this.onRoom();
    else if (bytes.byteLength >= LARGE_BYTES) return this.#paced(bytes, reply);
    else this.#limitWait(reply);
    return bytes;
  }

  #paced(bytes: Buffer, reply: FastifyReply): PacedBody {
    const { idleMs, bytesPerSecond } = this.#limits;
    const { raw } = reply;
    const latest = this.#now() + idleMs + (bytes.byteLength / bytesPerSecond) * 1000;
    const timer = setTimeout(() => raw.destroy(), idleMs).unref();
    const body = new PacedBody(bytes, this.#now, () => {
      timer.refresh();
      if (this.#now() > latest) raw.destroy();
    });
    this.#bodies.set(body, reply);
    this.#bytes += bytes.byteLength;
    raw.once('close', () => {
      clearTimeout(timer);
      if (!this.#bodies.delete(body)) return;
      this.#bytes -= bytes.byteLength;
      this.onRoom();
    });
    this.#makeRoom(body);
    return body;
  }

  #makeRoom(newest: PacedBody): void {
    while (this.#bytes > this.#limits.bytes && this.#bodies.size > 1) {
      const others = [...this.#bodies.keys()].filter((body) => body !== newest);
      const longest = others.reduce((stalest, body) => (body.takenAt < stalest.takenAt ? body : stalest));
      const reply = this.#bodies.get(longest);
      this.#bodies.delete(longest);
      this.#bytes -= longest.byteLength;
      reply?.raw.destroy();
    }
  }
}

/** A session, or an address; the same for everybody if callers are not read. */
function callerOf({ caller }: { readonly caller?: FastifyRequest['caller'] }): string {
  return caller?.presented?.handle ?? caller?.address ?? '';
}

/** What a cache between here and the caller would need to know if it kept the answer. */
function addVary(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  void reply.header('vary', others === undefined ? 'accept-encoding' : `${String(others)}, accept-encoding`);
}
