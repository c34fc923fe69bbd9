import { type CaseId } from './cases.ts';

export type FigureId = CaseId | 'client' | 'cold' | 'idle' | 'open' | 'loaded' | 'login';

/** One figure of one system in one round. */
export interface Sample {
  readonly figure: FigureId;
  readonly system: string;
  readonly round: number;
  /** In the unit of the figure. */
  readonly value: number;
  /** Microseconds of CPU for one request. */
  readonly cpu?: number;
  /** The share of its core that the system used meanwhile. */
  readonly busy?: number;
  /** Milliseconds to an answer. */
  readonly p50?: number;
  readonly p99?: number;
  readonly failures?: number;
  readonly firstFailure?: string | undefined;
}

/** All that one run measured. */
export interface Run {
  /** The day, as 2026-01-31. */
  readonly date: string;
  readonly machine: string;
  readonly rounds: number;
  /** The machine's load average of a minute before the run: what else it did. */
  readonly loadBefore: number;
  readonly samples: readonly Sample[];
  /** Systems that could not be measured, and why. */
  readonly missing: Readonly<Record<string, string>>;
}
