/** Why a stored record was not opened: it was sealed by an unknown key, or it is not what this key sealed there. */
export const REFUSALS = ['unknown_key', 'not_authentic'] as const;

export type Refusal = (typeof REFUSALS)[number];

/** Counts the stored records that were not opened since the process started. */
export class RefusedRecords {
  readonly #counts: Record<Refusal, number> = { unknown_key: 0, not_authentic: 0 };

  /** Counts one more. Returns the count of its kind, from 1. */
  add(refusal: Refusal): number {
    return (this.#counts[refusal] += 1);
  }

  count(refusal: Refusal): number {
    return this.#counts[refusal];
  }
}
