/** How many answers there were of each kind, and when the last one came. */
export class Counts {
  readonly #kinds = new Map<string, number>();
  #began = 0;
  #last = 0;

  begin(): void {
    this.#began = performance.now();
  }

  /** @param failure as a connection has it: undefined for a good answer. */
  answer(failure: string | undefined): void {
    this.#last = performance.now() - this.#began;
    this.add(failure === undefined ? 'good' : kindOf(failure));
  }

  add(kind: string, count = 1): void {
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + count);
  }

  text(): string {
    const kinds = [...this.#kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
    return this.#last === 0 ? kinds : `${kinds}, the last after ${(this.#last / 1000).toFixed(1)} s`;
  }
}

function kindOf(failure: string): string {
  const code = /"code":"(\w+)"/.exec(failure)?.[1];
  const reason = /"reason":"(\w+)"/.exec(failure)?.[1];
  if (code === undefined) return /status \d+/.exec(failure)?.[0] ?? failure;
  return reason === undefined ? code : `${code} ${reason}`;
}
