import { type PlatformResponse } from './platform-response.js';

/** Seconds to wait by `Retry-After`, given as seconds or as an HTTP date; undefined when absent or unreadable. */
export function retryAfterSeconds(response: PlatformResponse, now: number): number | undefined {
  const text = response.headerValues('retry-after')[0]?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
