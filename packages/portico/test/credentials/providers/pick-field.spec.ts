import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { pickField } from '../../../src/credentials/providers/shared-secret.js';

const origin = { store: 'env', secret: 'PORTICO' } as const;

describe('pickField', () => {
  it('returns every text unchanged without a key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(pickField(origin, text, undefined)).toBe(text);
      }),
    );
  });

  it('returns every key of an object of strings', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'binary', minLength: 1 }), (key, value) => {
        expect(pickField(origin, `{${JSON.stringify(key)}:${JSON.stringify(value)}}`, key)).toBe(value);
      }),
    );
  });

  it.each(['__proto__', 'constructor', 'toString', ''])('finds no key %j that is not written', (key) => {
    expect(() => pickField(origin, '{"password":"secret"}', key)).toThrow(
      expect.objectContaining({ reason: 'MISSING_KEY' }),
    );
  });

  it('changes no other object when a secret has the key __proto__', () => {
    expect(pickField(origin, '{"__proto__":{"polluted":"yes"},"password":"secret"}', 'password')).toBe(
      'secret',
    );
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});
