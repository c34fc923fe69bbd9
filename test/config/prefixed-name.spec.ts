import { describe, expect, it } from 'vitest';
import { prefixedName } from '../../src/config/prefixed-name.js';

describe('the name of a root field', () => {
  it.each([
    ['analytics', 'me', 'analyticsMe'],
    ['analytics', 'identityToken', 'analyticsIdentityToken'],
    ['analytics', 'log_', 'analyticsLog_'],
    ['analytics', '_entities', '_entities'],
    [undefined, 'me', 'me'],
  ])('with the prefix %s: %s becomes %s', (prefix, name, expected) => {
    expect(prefixedName(prefix, name)).toBe(expected);
  });
});
