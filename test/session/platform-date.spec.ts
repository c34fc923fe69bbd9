import { describe, expect, it } from 'vitest';
import { platformDate } from '../../src/session/scalars.js';

describe('a date of the platform', () => {
  it.each([
    ['2015-06-30T21:55:35.000+0000', '2015-06-30T21:55:35.000Z'],
    ['2015-06-30T21:55:35.000+00:00', '2015-06-30T21:55:35.000Z'],
    ['2015-06-30T21:55:35Z', '2015-06-30T21:55:35.000Z'],
    ['2015-06-30T21:55:35.000-0530', '2015-07-01T03:25:35.000Z'],
    ['2015-06-30T21:55:35+02', '2015-06-30T19:55:35.000Z'],
    ['2015-06-30T21:55:35.000', '2015-06-30T21:55:35.000Z'],
    ['2015-06-30 21:55', '2015-06-30T21:55:00.000Z'],
    ['2015-06-30', '2015-06-30T00:00:00.000Z'],
  ])('%s is %s, wherever the service runs', (text, instant) => {
    expect(platformDate(text)?.toISOString()).toBe(instant);
  });

  it.each([
    '',
    'yesterday',
    '2015',
    '2015-02-30',
    '2015-13-01',
    '2015-06-30T25:00:00',
    '30.06.2015',
    '1',
    null,
    undefined,
  ])('%s is not a date', (text) => {
    expect(platformDate(text)).toBeUndefined();
  });
});
