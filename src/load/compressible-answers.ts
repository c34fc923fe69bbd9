import { Note } from '../logging/note.js';

const compressible = new Note<object, true>('may be compressed');

/**
 * Allows an answer to be compressed: it carries no secret that its length could reveal.
 *
 * @param answer the HTTP answer.
 */
export function allowCompression(answer: object): void {
  compressible.set(answer, true);
}

/** Whether {@link allowCompression} was called for an answer: by default none is compressed. */
export function mayBeCompressed(answer: object): boolean {
  return compressible.get(answer) === true;
}
