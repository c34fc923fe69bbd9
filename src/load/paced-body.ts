import { Readable } from 'node:stream';
import { freeBytes } from 'portico/internal';

const SLICE_BYTES = 64 * 1024;

/** A large answer that is sent slice by slice, as fast as it is read. */
export class PacedBody extends Readable {
  readonly #bytes: Buffer;
  readonly #taken: () => void;
  #position = 0;

  /** @param taken called for each slice. */
  constructor(bytes: Buffer, taken: () => void) {
    super({ highWaterMark: SLICE_BYTES });
    this.#bytes = bytes;
    this.#taken = taken;
  }

  /** Bytes that no slice has carried yet. */
  get left(): number {
    return this.#bytes.byteLength - this.#position;
  }

  /** Gives the memory of the answer back, once the system has taken the last slice. */
  free(): void {
    freeBytes(this.#bytes);
  }

  override _read(): void {
    this.#taken();
    const slice = this.#bytes.subarray(this.#position, this.#position + SLICE_BYTES);
    this.#position += slice.byteLength;
    this.push(slice.byteLength === 0 ? null : slice);
  }
}
