import { UnclearHeaderError } from './unclear-header-error.js';

/** Headers that decide something may occur only once: of two, Node takes the first, others take the last or both. */
const ONCE = ['Host', 'Authorization', 'Origin', 'Sec-Fetch-Site', 'Content-Type'] as const;

/**
 * Checks that no header that decides something occurs twice.
 *
 * @param sessionHeader the header of the bearer handle, as configured.
 * @returns a check of the names and values as they were sent, alternating.
 */
export function headersOnce(sessionHeader: string): (rawHeaders: readonly string[]) => void {
  const names = new Map([...ONCE, sessionHeader].map((name) => [name.toLowerCase(), name]));
  return (rawHeaders) => {
    const seen = new Set<string>();
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const lower = (rawHeaders[index] ?? '').toLowerCase();
      const name = names.get(lower);
      if (name === undefined) continue;
      if (seen.has(lower)) throw new UnclearHeaderError(`The request has more than one ${name} header`);
      seen.add(lower);
    }
  };
}
