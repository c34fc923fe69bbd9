import { type FastifyInstance, type FastifyReply } from 'fastify';
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
  readonly #bodies = new Map<PacedBody, FastifyReply>();
  #bytes = 0;
  /** Called when there is room again. */
  onRoom: () => void = () => undefined;

  /** @param now milliseconds of a monotonic clock. */
  constructor(limits: UnsentLimits = UNSENT_LIMITS, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Bytes of large answers that wait for their readers. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether another large answer can be made without one being cut off. */
  readonly hasRoom = (): boolean => this.#bytes < this.#limits.bytes / 2;

  /** Paces the large answers of a server, and limits how long the others wait for their readers. */
  watch(server: FastifyInstance): void {
    server.addHook('onSend', (_request, reply, payload, done) => {
      if (typeof payload === 'string' && payload.length >= LARGE_BYTES) {
        done(null, this.#paced(Buffer.from(payload), reply));
        return;
      }
      // Node takes its own time-out again once the answer is sent.
      reply.raw.setTimeout(this.#limits.idleMs);
      done(null, payload);
    });
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
    void reply.header('content-length', bytes.byteLength);
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
