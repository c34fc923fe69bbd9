import { fieldMissing, informationMissing, invalidInput } from './errors.js';

/** The fields of a request body by name. A map, so that a field named `__proto__` is a field like any other. */
export type Fields = ReadonlyMap<string, unknown>;

/** Whether the body has the field; null counts as left out. */
export function hasField(fields: Fields, name: string): boolean {
  return (fields.get(name) ?? undefined) !== undefined;
}

export function requiredText(fields: Fields, name: string): string {
  requireField(fields, name);
  const value = fields.get(name);
  if (typeof value !== 'string') throw invalidInput(`Field ${name} must be a string.`);
  return value;
}

export function requiredNonEmptyText(fields: Fields, name: string): string {
  const text = requiredText(fields, name);
  if (text === '') throw informationMissing(name);
  return text;
}

export function requiredInteger(fields: Fields, name: string): number {
  requireField(fields, name);
  return integerOf(fields, name);
}

export function optionalInteger(fields: Fields, name: string): number | undefined {
  return hasField(fields, name) ? integerOf(fields, name) : undefined;
}

function requireField(fields: Fields, name: string): void {
  if (!hasField(fields, name)) throw fieldMissing(name);
}

/** Forms have no numbers, and some clients send strings in JSON too: `"-1"` is -1. */
function integerOf(fields: Fields, name: string): number {
  const value = fields.get(name);
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(number)) throw invalidInput(`Field ${name} must be a whole number.`);
  return number as number;
}
