import { describe, expect, it } from 'vitest';

import { createCanaries, PLANTED_SECRETS } from '../../../packages/portico/test/support/secrets/canaries.js';

describe('canaries', () => {
  it('finds nothing in a text without them', () => {
    const canaries = createCanaries();
    canaries.plant('PW');

    expect(canaries.findIn('CANARY-PW-0123, and dmFyaW91cyB0aGluZ3M=')).toEqual([]);
  });

  it('finds a planted secret as plain text, in upper or lower case', () => {
    const canaries = createCanaries();
    const secret = canaries.plant('PW');

    expect(canaries.findIn(`error: ${secret.toUpperCase()}!`)).toEqual([{ kind: 'PW', spelling: 'plain' }]);
  });

  it('finds a public name too, but does not count it among the secrets of a request', () => {
    const canaries = createCanaries();
    const name = canaries.plantPublic('NAME');
    const secret = canaries.plant('KEY');
    const request = JSON.stringify({ profile: name, profileKey: secret });

    expect(canaries.findIn(name)).toEqual([{ kind: 'NAME', spelling: 'plain' }]);
    expect(request.match(PLANTED_SECRETS)).toEqual([secret]);
  });

  it.each(['', 'u', 'us', 'usr:', 'longer text before it:'])(
    'finds a secret in base64 text after %j, in both alphabets',
    (before) => {
      const canaries = createCanaries();
      canaries.watch('KEY', 'subject?>~ÿÿÿ?>~');
      const bytes = Buffer.from(`${before}subject?>~ÿÿÿ?>~ and more`);

      expect(canaries.findIn(bytes.toString('base64'))).toContainEqual({ kind: 'KEY', spelling: 'base64' });
      expect(canaries.findIn(bytes.toString('base64url'))).toContainEqual({
        kind: 'KEY',
        spelling: 'base64',
      });
    },
  );

  it('finds a secret in hex of either case', () => {
    const canaries = createCanaries();
    const hex = Buffer.from(`token=${canaries.plant('TOK')};`).toString('hex');

    expect(canaries.findIn(hex)).toEqual([{ kind: 'TOK', spelling: 'hex' }]);
    expect(canaries.findIn(hex.toUpperCase())).toEqual([{ kind: 'TOK', spelling: 'hex' }]);
  });

  it('finds a secret in an address, escaped where needed or in every byte', () => {
    const canaries = createCanaries();
    canaries.watch('IDT', 'one/two three');

    expect(canaries.findIn('?t=one%2Ftwo%20three')).toEqual([{ kind: 'IDT', spelling: 'URL-encoded' }]);
    expect(canaries.findIn('?t=%6F%6E%65%2F%74%77%6F%20%74%68%72%65%65')).toEqual([
      { kind: 'IDT', spelling: 'URL-encoded' },
    ]);
  });

  it('refuses to watch a secret so short that chance would find it', () => {
    expect(() => {
      createCanaries().watch('PW', 'demo');
    }).toThrow(RangeError);
  });
});
