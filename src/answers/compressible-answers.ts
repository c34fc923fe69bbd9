const compressible = new WeakSet<object>();

/**
 * Allows an answer to be compressed: it carries no secret, so that its length tells nothing of one.
 *
 * @param answer the HTTP answer.
 */
export function allowCompression(answer: object): void {
  compressible.add(answer);
}

/** Whether {@link allowCompression} was called for an answer: by default none is compressed. */
export function mayBeCompressed(answer: object): boolean {
  return compressible.has(answer);
}
