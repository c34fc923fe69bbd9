/** A clock that stands still until it is told to move. Times are in milliseconds. */
export interface ManualClock {
  readonly now: () => number;
  advance(ms: number): void;
}

export function manualClock(start = Date.UTC(2026, 0, 5, 9)): ManualClock {
  let time = start;
  return {
    now: () => time,
    advance(ms) {
      time += ms;
    },
  };
}
