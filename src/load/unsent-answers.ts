import { type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

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

export interface UnsentOptions {
  /** Called when there is room again. */
  readonly onRoom: () => void;
  readonly limits?: UnsentLimits;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

/** Answers that are complete but not yet read. Limits the memory that callers hold by reading slowly or not at all. */
export class UnsentAnswers {
  readonly #limits: UnsentLimits;
  readonly #now: () => number;
  readonly #onRoom: () => void;
  readonly #bodies = new Map<PacedBody, ServerResponse>();
  #bytes = 0;

  constructor({ onRoom, limits = UNSENT_LIMITS, now = () => performance.now() }: UnsentOptions) {
    this.#onRoom = onRoom;
    this.#limits = limits;
    this.#now = now;
  }

  /** Bytes of large answers that are compressed or wait for their readers. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether another large answer can be made without one being cut off. */
  readonly hasRoom = (): boolean => this.#bytes < this.#limits.bytes / 2;

  /** Counts bytes while they are being compressed. */
  async whileHeld<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#bytes += bytes;
    try {
      return await work();
    } finally {
      this.#bytes -= bytes;
      this.#onRoom();
    }
  }

  /** A small answer: its reader must take something from time to time. Node uses its own timeout again once it is sent. */
  limitWait(response: ServerResponse): void {
    response.setTimeout(this.#limits.idleMs);
  }

  /** A large answer, slice by slice; undefined if its caller has hung up. */
  paced(bytes: Buffer, response: ServerResponse): PacedBody | undefined {
    // Its connection does not close again.
    if (response.destroyed) return undefined;
    const { idleMs, bytesPerSecond } = this.#limits;
    const latest = this.#now() + idleMs + (bytes.byteLength / bytesPerSecond) * 1000;
    const timer = setTimeout(() => response.destroy(), idleMs).unref();
    const body = new PacedBody(bytes, this.#now, () => {
      timer.refresh();
      if (this.#now() > latest) response.destroy();
    });
    this.#bodies.set(body, response);
    this.#bytes += bytes.byteLength;
    response.once('close', () => {
      clearTimeout(timer);
      if (!this.#bodies.delete(body)) return;
      this.#bytes -= bytes.byteLength;
      this.#onRoom();
    });
    this.#makeRoom(body);
    return body;
  }

  #makeRoom(newest: PacedBody): void {
    while (this.#bytes > this.#limits.bytes && this.#bodies.size > 1) {
      const others = [...this.#bodies.keys()].filter((body) => body !== newest);
      const longest = others.reduce((stalest, body) => (body.takenAt < stalest.takenAt ? body : stalest));
      const response = this.#bodies.get(longest);
      this.#bodies.delete(longest);
      this.#bytes -= longest.byteLength;
      response?.destroy();
    }
  }
}

const SLICE_BYTES = 64 * 1024;

/** A body that is sent slice by slice, as fast as it is read, and knows when the last slice was taken. */
class PacedBody extends Readable {
  readonly #bytes: Buffer;
  readonly #now: () => number;
  readonly #taken: () => void;
  #position = 0;
  #takenAt: number;

  /** @param taken called for each slice. */
  constructor(bytes: Buffer, now: () => number, taken: () => void) {
    super({ highWaterMark: SLICE_BYTES });
    this.#bytes = bytes;
    this.#now = now;
    this.#taken = taken;
    this.#takenAt = now();
  }

  get byteLength(): number {
    return this.#bytes.byteLength;
  }

  /** When the reader took the last slice. */
  get takenAt(): number {
    return this.#takenAt;
  }

  override _read(): void {
    this.#takenAt = this.#now();
    this.#taken();
    const slice = this.#bytes.subarray(this.#position, this.#position + SLICE_BYTES);
    this.#position += slice.byteLength;
    this.push(slice.byteLength === 0 ? null : slice);
  }
}
