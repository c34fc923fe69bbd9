import { describe, expect, it } from 'vitest';
import { mergedSnapshot } from '../../src/session/merged-snapshot.js';

const cookie = (name: string, value: string): object => ({ name, value, domain: 'platform.test', path: '/' });
const state = (token: string, ...cookies: object[]): string =>
  JSON.stringify({ base_url: 'https://platform.test/api/', cookies, headers: { 'X-SVC-AuthToken': token } });
const [J1, J2, LB1, LB2, LB3] = [
  cookie('J', '1'),
  cookie('J', '2'),
  cookie('LB', '1'),
  cookie('LB', '2'),
  cookie('LB', '3'),
];

describe('what two instances know about one platform session', () => {
  it.each([
    ['nothing of its own', state('a', J1), state('a', J1), state('b', J2), state('b', J2)],
    ['a token', state('a', LB1), state('b', LB1), state('a', LB2), state('b', LB2)],
    ['a cookie', state('a', J1, LB1), state('a', J2, LB1), state('a', J1, LB2), state('a', J2, LB2)],
    ['a new cookie', state('a', LB1), state('a', LB1, J1), state('a', LB2), state('a', LB2, J1)],
    ['a cookie less', state('a', LB1, J1), state('a', LB1), state('a', LB2, J1), state('a', LB2)],
    ['what both have changed', state('a', LB1), state('b', LB2), state('c', LB3), state('c', LB3)],
  ])('is all that the other has stored and what only one has: %s', (_what, base, own, stored, both) => {
    expect(mergedSnapshot(base, own, stored)).toBe(both);
  });

  it('is the text that the other has stored, to the letter, if there is nothing to add', () => {
    const stored = ` ${state('b', J2)} `;
    expect(mergedSnapshot(state('a', J1), state('a', J1), stored)).toBe(stored);
  });
});
