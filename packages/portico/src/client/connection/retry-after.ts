import { type PlatformResponse } from './platform-response.js';

/** The longest wait that is passed on: a day. */
const MAX_SECONDS = 24 * 3600;

/** The three forms of an HTTP date (RFC 9110, 5.6.7); all are in GMT, although the last does not say so. */
const HTTP_DATES: readonly RegExp[] = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * Seconds to wait by `Retry-After`, given as seconds or as an HTTP date; undefined when absent or neither. A fraction is rounded
 * up, and more than a day is a day.
 */
export function retryAfterSeconds(response: PlatformResponse, now: number): number | undefined {
  const text = response.headerValues('retry-after')[0];
  if (text === undefined) return undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : secondsUntil(text, now);
  return seconds === undefined ? undefined : Math.min(MAX_SECONDS, Math.max(0, Math.ceil(seconds)));
}

function secondsUntil(text: string, now: number): number | undefined {
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : (date - now) / 1000;
}
