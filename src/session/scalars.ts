import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';

/** A point in time as in RFC 3339, with the page that says so: tools read it. */
export const DateTime = new GraphQLScalarType({
  ...GraphQLDateTime.toConfig(),
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
});

/** The range of GraphQL's Int. A number outside it would be an error for the whole field. */
const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];

/** A number from the platform as an Int; null if it is not one. The caller can still find the number in `raw`. */
export function graphqlInt(value: number | null | undefined): number | null {
  return Number.isInteger(value) && Number(value) >= LEAST && Number(value) <= MOST ? Number(value) : null;
}

/** Date, time and offset; the platform writes `2015-06-30T21:55:35.000+0000`, which is not RFC 3339. */
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?:(Z)|([+-]\d{2}):?(\d{2})?)?)?$/i;

/**
 * A date from the platform; without an offset it is in UTC, wherever the service runs. Anything else is undefined.
 */
export function platformDate(text: string | null | undefined): Date | undefined {
  const [, date = '', time = '00:00', , hours = '+00', minutes = '00'] =
    DATE_TIME.exec(text?.trim() ?? '') ?? [];
  const day = new Date(`${date}T00:00:00Z`);
  const parsed = new Date(`${date}T${time}${hours}:${minutes}`);
  // A day that the month does not have would be read as a day of the next month.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
  return isDay && !Number.isNaN(parsed.getTime()) ? parsed : undefined;
}
