/**
 * What is noted on an object that belongs to somebody else, for as long as the object lives: a property with a symbol
 * that nobody else has, so loops and JSON leave it out.
 *
 * A `WeakMap` is right for objects that live long. For those of one request it is expensive: while V8 collects young
 * objects, it takes the keys of a `WeakMap` as alive and moves them to the old generation with all that hangs on
 * them. Measured at 10,000 requests/s, that was 30 MB of garbage a second and a tenth of the CPU.
 */
export class Note<K extends object, V> {
  readonly #name: symbol;

  /** @param description what is noted, to be seen in a debugger. */
  constructor(description: string) {
    this.#name = Symbol(description);
  }

  /** What was noted last; undefined if nothing was. */
  get(object: K): V | undefined {
    return (object as Record<symbol, V | undefined>)[this.#name];
  }

  /** @throws TypeError for a frozen object */
  set(object: K, value: V): void {
    (object as Record<symbol, V | undefined>)[this.#name] = value;
  }
}
