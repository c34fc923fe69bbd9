import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isHandle, newHandle, storeKey } from '../../src/session/handle.js';

describe('a handle', () => {
  it('is 32 random bytes in base64url', () => {
    const handle = newHandle();
    expect(Buffer.from(handle, 'base64url')).toHaveLength(32);
    expect(handle).toHaveLength(43);
    expect(isHandle(handle)).toBe(true);
    expect(newHandle()).not.toBe(handle);
  });

  it('is stored under its SHA-256', () => {
    const handle = newHandle();
    expect(storeKey(handle)).toBe(createHash('sha256').update(handle).digest('hex'));
  });

  it.each([
    '',
    'A'.repeat(42),
    'A'.repeat(44),
    `${'A'.repeat(42)}B`,
    `${'A'.repeat(41)}+A`,
    `${'A'.repeat(42)}\n`,
    '日'.repeat(43),
  ])('is not %j', (text) => {
    expect(isHandle(text)).toBe(false);
  });
});
