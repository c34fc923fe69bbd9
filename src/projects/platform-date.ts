/** Date, time and offset; the platform writes `2015-06-30T21:55:35.000+0000`, which is not RFC 3339. */
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?:(Z)|([+-]\d{2}):?(\d{2})?)?)?$/i;

/** A date from the platform; without an offset it is in UTC, wherever the service runs. Anything else is undefined. */
export function platformDate(text: string | null | undefined): Date | undefined {
  const [whole, date = '', time = '00:00', , hours = '+00', minutes = '00'] =
    DATE_TIME.exec(text?.trim() ?? '') ?? [];
  if (whole === undefined) return undefined;
  const day = new Date(`${date}T00:00:00Z`);
  const parsed = new Date(`${date}T${time}${hours}:${minutes}`);
  // A day that the month does not have would be read as a day of the next month.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
  return isDay && !Number.isNaN(parsed.getTime()) ? parsed : undefined;
}
