/** Milliseconds of a round's parts. */
export interface Timing {
  /** Load before anything is measured: V8 goes on getting faster for so long. */
  readonly warmUp: number;
  /** Load of another case before that case is measured. */
  readonly before: number;
  readonly own: number;
  readonly other: number;
  readonly open: number;
  /** Calls in a round of the client alone. */
  readonly calls: number;
  /** Of the whole run: a further round that would not fit is left out. */
  readonly most: number;
}

export const FULL: Timing = {
  warmUp: 10_000,
  before: 800,
  own: 4000,
  other: 2500,
  open: 5000,
  calls: 2000,
  most: Infinity,
};
export const QUICK: Timing = {
  warmUp: 3000,
  before: 300,
  own: 2000,
  other: 1000,
  open: 2000,
  calls: 500,
  most: 165_000,
};
/** For the guard: few systems and cases, warm enough for ratios that can be kept, even where V8 is slow to compile. */
export const GUARD: Timing = { ...QUICK, warmUp: 15_000, most: Infinity };
