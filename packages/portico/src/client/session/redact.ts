import { inspect } from 'node:util';

/**
 * Makes inspection and string conversion of plain data show a label; only `JSON.stringify` writes its values. The hooks are
 * not enumerable, so the data stays plain; a copy (spread, structuredClone) does not have them.
 */
export function redact<T extends object>(data: T, label: string): T {
  const show = { value: () => `[${label}]`, enumerable: false };
  return Object.defineProperties(data, { [inspect.custom]: show, toString: show });
}
