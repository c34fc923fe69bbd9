import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isHandle,
  isStranger,
  keyOf,
  KnownSessions,
  newHandle,
  type PresentedHandle,
  publicSessionId,
  sessionParty,
  storeKey,
  strangerOf,
} from '../../src/session/handle.js';

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
    `${'A'.repeat(43)}\n`,
    `B${'A'.repeat(43)}`,
    '日'.repeat(43),
  ])('is not %j', (text) => {
    expect(isHandle(text)).toBe(false);
  });

  it('has its store key computed once for each request', () => {
    const presented: PresentedHandle = { handle: newHandle(), transport: 'bearer' };
    expect(keyOf(presented)).toBe(storeKey(presented.handle));
    expect(presented.key).toBe(storeKey(presented.handle));
    expect(keyOf({ ...presented, key: 'known' })).toBe('known');
  });

  it('has an id for people of 16 characters, the same each time, which tells nothing of the key', () => {
    expect(publicSessionId('key')).toBe(
      createHash('sha256').update('portico audit session:key').digest('hex').slice(0, 16),
    );
  });
});

describe('the party of a request', () => {
  const presented = (): PresentedHandle => ({ handle: newHandle(), transport: 'bearer' });

  it('is that of its session once that is known, with its account or as a guest', () => {
    const known = new KnownSessions();
    const [alice, guest] = [presented(), presented()];
    known.add(keyOf(alice), 'alice');
    known.add(keyOf(guest), undefined);
    expect(known.partyOf({ network: 'here', presented: alice })).toEqual(['here', 'alice', keyOf(alice)]);
    expect(known.partyOf({ network: 'here', presented: guest })).toEqual(['here', 'guest', keyOf(guest)]);
  });

  it.each([
    ['without a handle', undefined],
    ['with a handle that may be made up', presented()],
  ])('is that of all others of its network %s', (_what, of) => {
    const party = new KnownSessions().partyOf({ network: 'here', presented: of });
    expect(party).toEqual(strangerOf('here'));
    expect(party).toEqual(['here', 'guest', 'none']);
  });

  it('is one of a session that is open', () => {
    expect(sessionParty('here', { account: 'alice', key: 'key' })).toEqual(['here', 'alice', 'key']);
    expect(sessionParty('here', { account: undefined, key: 'key' })).toEqual(['here', 'guest', 'key']);
  });

  it('is that of a stranger without a session only', () => {
    expect([strangerOf('here').at(-1) ?? '', keyOf(presented())].map(isStranger)).toEqual([true, false]);
  });
});
