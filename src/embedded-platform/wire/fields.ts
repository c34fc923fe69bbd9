import { fieldMissing, informationMissing, invalidInput } from './errors.js';

/** The fields of a request body by name. A map, so that a field named `__proto__` is a field like any other. */
export type Fields = ReadonlyMap<string, unknown>;

export function requiredText(fields: Fields, name: string): string {
  const value = fields.get(name) ?? missing(name);
  if (typeof value !== 'string') throw invalidInput(`Field ${name} must be a string.`);
  return value;
}

export function requiredNonEmptyText(fields: Fields, name: string): string {
  const text = requiredText(fields, name);
  if (text === '') throw informationMissing(name);
  return text;
}

/** Forms have no numbers, and some clients quote them in JSON too: `"-1"` is -1. */
export function requiredInteger(fields: Fields, name: string): number {
  const value = fields.get(name) ?? missing(name);
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(number)) throw invalidInput(`Field ${name} must be a whole number.`);
  return number as number;
}

function missing(name: string): never {
  throw fieldMissing(name);
}
