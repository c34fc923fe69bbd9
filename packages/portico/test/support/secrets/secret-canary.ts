import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';

/** A planted secret, and the search for it in what must not hold it, in whatever encoding. */
export interface SecretCanary {
  readonly value: string;
  /** Whether the secret shows in a text, or in anything that can be seen of a value. */
  isIn(seen: unknown): boolean;
}

export function secretCanary(kind = 'PW'): SecretCanary {
  const value = `CANARY-${kind}-${randomBytes(12).toString('hex')}`;
  const forms = [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
    Buffer.from(value).toString('hex'),
    Buffer.from(value).join(','),
  ];
  return {
    value,
    isIn: (seen) => forms.some((form) => everythingVisible(seen).includes(form)),
  };
}

function everythingVisible(seen: unknown): string {
  if (typeof seen === 'string') return seen;
  const stack = seen instanceof Error ? (seen.stack ?? '') : '';
  return [
    inspect(seen, { depth: null, showHidden: true, maxStringLength: null, maxArrayLength: null }),
    JSON.stringify(seen),
    String(seen),
    stack,
  ].join('\n');
}
