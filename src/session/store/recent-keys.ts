/** A bounded set of keys. When it is full, it drops the key that was added longest ago. */
export class RecentKeys {
  readonly #keys = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > this.#most && oldest !== undefined) this.#keys.delete(oldest);
  }
}
