/** Levels of objects and lists in a response of the platform. Its own documents need less than ten. */
export const MAX_NESTING = 64;

/**
 * Whether a parsed JSON value has more than `levels` levels of objects and lists. `JSON.parse` reads any depth, but
 * whatever writes the value again is recursive and fails on a deep one.
 */
export function isNestedDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isNestedDeeperThan(levels - 1, item)) return true;
    return false;
  }
  for (const name in value) {
    if (isNestedDeeperThan(levels - 1, (value as Record<string, unknown>)[name])) return true;
  }
  return false;
}
