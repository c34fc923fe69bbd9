import { describe, expect, it } from 'vitest';
import { reasonOfAwsError, reasonWithoutStatus } from '../../../src/credentials/providers/failure-reasons.js';

describe('the reason of a failure without a status', () => {
  it.each([
    ['an answer that cannot be parsed', new SyntaxError('no JSON'), 'MALFORMED'],
    ['an answer that has another form', new TypeError('is not a function'), 'MALFORMED'],
    [
      'a connection of fetch that failed',
      new TypeError('fetch failed', { cause: new Error('refused') }),
      'UNREACHABLE',
    ],
    ['a connection that failed', new Error('refused'), 'UNREACHABLE'],
  ])('is read from %s', (_what, error, reason) => {
    expect(reasonWithoutStatus(error)).toBe(reason);
    expect(reasonOfAwsError(error)).toBe(reason);
  });
});
