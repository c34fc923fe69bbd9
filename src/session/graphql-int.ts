/** The range of GraphQL's Int. A number outside it would be an error for the whole field. */
const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];

/** A number from the platform as an Int; null if it is not one. The caller can still find the number in `raw`. */
export function graphqlInt(value: number | null | undefined): number | null {
  return Number.isInteger(value) && Number(value) >= LEAST && Number(value) <= MOST ? Number(value) : null;
}
