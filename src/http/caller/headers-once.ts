import { UnclearHeaderError } from './unclear-header-error.js';

/** Headers that decide and may stand in a request once; of two, Node takes the first, others the last or both. */
const ONCE = ['Host', 'Authorization', 'Origin', 'Sec-Fetch-Site', 'Content-Type'] as const;

/**
 * Checks that no header that decides comes twice.
 *
 * @param sessionHeader the header of the bearer handle, as configured.
 * @returns a check of the names and values as they came, in turn.
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
