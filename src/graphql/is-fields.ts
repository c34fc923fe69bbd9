/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object with members, not a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
