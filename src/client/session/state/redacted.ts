import { inspect } from 'node:util';

/**
 * Plain data that is written out by `JSON.stringify` only: inspection and string conversion show a label instead. The
 * hooks are not enumerable, so that the data stays plain; a copy of it (spread, structuredClone) has none.
 */
export function concealed<T extends object>(data: T, label: string): T {
  const show = { value: () => `[${label}]`, enumerable: false };
  return Object.defineProperties(data, { [inspect.custom]: show, toString: show });
}
