/** The middle one, or the mean of the middle two; NaN of none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const low = sorted[(sorted.length - 1) >> 1] ?? NaN;
  const high = sorted[sorted.length >> 1] ?? NaN;
  return (low + high) / 2;
}
