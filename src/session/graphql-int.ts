/** The range of GraphQL's Int; a number outside it would fail its whole field. */
const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];

/** A number of the platform as an Int; null where it is none. The caller finds such a number in `raw`. */
export function graphqlInt(value: number | null | undefined): number | null {
  return Number.isInteger(value) && Number(value) >= LEAST && Number(value) <= MOST ? Number(value) : null;
}
