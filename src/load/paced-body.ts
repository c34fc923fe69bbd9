import { Readable } from 'node:stream';

const SLICE_BYTES = 64 * 1024;

/** A body that is sent slice by slice, as fast as it is read, and knows when the last slice was taken. */
export class PacedBody extends Readable {
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
