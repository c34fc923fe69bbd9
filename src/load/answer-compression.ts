import { promisify } from 'node:util';
import { constants, gzip as gzipWithCallback } from 'node:zlib';

const gzip = promisify(gzipWithCallback);

/** Smaller answers fit into what TCP sends before it waits for the first acknowledgment: 10 packets. */
export const LEAST_BYTES = 14 * 1024;

/** Higher levels cost much more time and save little. */
const OPTIONS = { level: 3, chunkSize: 64 * 1024, strategy: constants.Z_DEFAULT_STRATEGY };

/** The other threads of the pool look up hosts and write files. */
const AT_ONCE = 2;
const MOST_WAITING = 16;
const MOST_OF_ONE_CALLER = 2;

/**
 * Compresses answers in the thread pool. This is best effort: a caller who requests too much at once, or
 * while many others wait, gets the answer uncompressed, so nobody waits for long.
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
