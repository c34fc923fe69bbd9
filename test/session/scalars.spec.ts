import { describe, expect, it } from 'vitest';
import { graphqlInt } from '../../src/session/scalars.js';

describe('a number from the platform', () => {
  it.each([0, -2_147_483_648, 2_147_483_647])('is an Int if it is %d', (number) => {
    expect(graphqlInt(number)).toBe(number);
  });

  it.each([-2_147_483_649, 2_147_483_648, 1.5, NaN, Infinity, null, undefined])(
    'is null if it is %d, which no Int can be, so that the rest of the answer is still given',
    (number) => {
      expect(graphqlInt(number)).toBeNull();
    },
  );
});
