import { describe, expect, it } from 'vitest';
import { PlatformResponse } from '../../../src/client/index.js';
import { ResponseHeaders } from '../../../src/client/connection/headers.js';
import { retryAfterSeconds } from '../../../src/client/connection/response-error.js';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 7);

function secondsOf(value: string): number | undefined {
  const headers = new ResponseHeaders(['Retry-After', value]);
  return retryAfterSeconds(
    PlatformResponse.received(503, headers, Buffer.alloc(0), new URL('http://a/')),
    NOW,
  );
}

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120],
    ['1.5', 2],
    ['1.25', 2],
    ['  7  ', 7],
    ['99999999999999999999', 86_400],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 30],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 30],
    ['Sun Nov  6 08:49:37 1994', 30],
    ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
    ['Sun, 06 Nov 2094 08:49:37 GMT', 86_400],
  ])('%s is %d seconds', (value, seconds) => {
    expect(secondsOf(value)).toBe(seconds);
  });

  it.each(['', '-1', '1e3', '1,5', '0x10', 'soon', '1994-11-06T08:49:37Z', 'Sun, 06 Nov 1994', 'Nov 6 1994'])(
    '%s is ignored',
    (value) => {
      expect(secondsOf(value)).toBeUndefined();
    },
  );
});
