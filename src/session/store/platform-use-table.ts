import { type PlatformUse } from './session-store.js';

/** Notes on at most this many sessions are kept, about 10 MB. Beyond that, the oldest is forgotten first. */
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
