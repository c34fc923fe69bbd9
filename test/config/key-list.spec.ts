import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isKeyList, looksRandom, parseKeyList } from '../../src/config/key-list.js';

const newer = randomBytes(32);
const older = randomBytes(32);
const text = (kid: string, key: Buffer): string => `${kid}:${key.toString('base64')}`;

describe('a list of keys', () => {
  it('has each key under its id, in the order of the list, with spaces around the parts or not', () => {
    expect(parseKeyList(` ${text('2026-b', newer)} , ${text('2026_a', older)}`)).toEqual([
      { kid: '2026-b', key: newer },
      { kid: '2026_a', key: older },
    ]);
  });

  it('has no id twice, not even for two keys', () => {
    expect(parseKeyList(`${text('a', newer)},${text('a', older)}`)).toBeUndefined();
  });

  it.each([
    ['no id', `:${newer.toString('base64')}`],
    ['an id of 33 characters', text('k'.repeat(33), newer)],
    ['an id with a dot', text('a.b', newer)],
    ['a key of 31 bytes', text('a', newer.subarray(1))],
    ['a key of 33 bytes', text('a', Buffer.concat([newer, Buffer.of(7)]))],
    ['something behind the key', `${text('a', newer)}=`],
    ['an empty part', `${text('a', newer)},`],
  ])('is refused with %s', (_what, list) => {
    expect(parseKeyList(list)).toBeUndefined();
  });

  it('is text', () => {
    expect(isKeyList(text('a', newer))).toBe(true);
    expect(isKeyList([text('a', newer)])).toBe(false);
  });
});

describe('bytes look random', () => {
  it.each([
    ['as many values and steps as required', [0, 5, 1, 0], 3, true],
    ['as many steps as required, and more values', [0, 1, 3, 6], 3, true],
    ['too few steps', [0, 1, 3, 6], 4, false],
    ['too few values, for all their steps', [0, 1, 3, 0, 3, 1, 0], 4, false],
    ['a part that is repeated', [0, 5, 1, 0, 5, 1], 3, false],
    ['a part that is repeated and cut off', [0, 5, 1, 9, 0, 5, 1, 9, 0], 3, false],
    ['a part that is repeated with one change', [0, 5, 1, 9, 0, 5, 1, 8], 3, true],
  ])('or not: %s', (_what, bytes, least, expected) => {
    expect(looksRandom(Uint8Array.from(bytes), least)).toBe(expected);
  });
});
