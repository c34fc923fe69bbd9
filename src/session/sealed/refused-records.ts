/** Why a stored record was not opened: sealed by a key that is not known here; or not what this key has sealed there. */
export const REFUSALS = ['unknown_key', 'not_authentic'] as const;

export type Refusal = (typeof REFUSALS)[number];

/** Counts the records of the store that were not opened, since the process began. */
export class RefusedRecords {
  readonly #counts: Record<Refusal, number> = { unknown_key: 0, not_authentic: 0 };

  /** Counts one more, and tells which one of its kind it is, from 1. */
  add(refusal: Refusal): number {
    return (this.#counts[refusal] += 1);
  }

  count(refusal: Refusal): number {
    return this.#counts[refusal];
  }
}
