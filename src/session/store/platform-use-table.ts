import { type PlatformUse } from './session-store.js';

/** What is noted of sessions beyond these is forgotten, the oldest first: some 10 MB. */
const MOST_NOTES = 50_000;

/** The last uses of platform sessions, in a store that one process has for itself. */
export class PlatformUseTable {
  readonly #uses = new Map<string, PlatformUse>();

  get(key: string): PlatformUse | undefined {
    return this.#uses.get(key);
  }

  note(key: string, at: number, timeoutMs?: number): void {
    const known = this.#uses.get(key);
    const timeout = timeoutMs ?? known?.timeoutMs;
    if (timeout === undefined) return;
    this.#uses.delete(key);
    this.#uses.set(key, { at: Math.max(at, known?.at ?? at), timeoutMs: timeout });
    const [oldest] = this.#uses.keys();
    if (this.#uses.size > MOST_NOTES && oldest !== undefined) this.#uses.delete(oldest);
  }

  drop(key: string): void {
    this.#uses.delete(key);
  }
}
