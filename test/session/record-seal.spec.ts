import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type NamedKey } from '../../src/config/key-list.js';
import { newHandle, storeKey } from '../../src/session/handle.js';
import { keyMark } from '../../src/session/record-seal.js';
import { RecordSeal, RefusedRecords, REFUSALS, type SealContext } from '../../src/session/record-seal.js';

const SECRET = 'CANARY-TOK-sealed';

function key(kid: string): NamedKey {
  return { kid, key: randomBytes(32) };
}

function context(): SealContext {
  const handle = newHandle();
  return { handle, storeKey: storeKey(handle), version: 1 };
}

describe('a sealed record', () => {
  const first = key('first');
  const seal = new RecordSeal([first]);

  it('opens for the handle, key and version that it was sealed for', () => {
    const bound = context();
    const sealed = seal.seal(SECRET, bound);
    expect(sealed).not.toContain(SECRET);
    expect(seal.open(sealed, bound)).toBe(SECRET);
  });

  it('is AES-256-GCM under the HKDF of the server key and the handle, so that records of earlier versions open', () => {
    const handle = newHandle();
    const name = createHash('sha256').update(handle).digest('hex');
    const derived = Buffer.from(hkdfSync('sha256', first.key, handle, 'portico session record', 32));
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', derived, nonce).setAAD(Buffer.from(`2.first.${name}.7`));
    const body = Buffer.concat([nonce, cipher.update(SECRET), cipher.final(), cipher.getAuthTag()]);
    const sealed = `2.${keyMark(first)}.${body.toString('base64url')}`;
    expect(storeKey(handle)).toBe(name);
    expect(seal.open(sealed, { handle, storeKey: name, version: 7 })).toBe(SECRET);
  });

  it('has in the open what belongs there, and nothing if there is nothing', () => {
    const bound = context();
    expect(seal.seal(SECRET, bound).split('.')).toHaveLength(3);
    const sealed = seal.seal(SECRET, bound, 'open');
    expect(sealed.split('.').slice(3)).toEqual(['open']);
    expect(seal.open(sealed, bound)).toBe(SECRET);
  });

  it('may be empty', () => {
    const bound = context();
    expect(seal.open(seal.seal('', bound), bound)).toBe('');
  });

  it('does not open under another form, although the rest of it is right', () => {
    const bound = context();
    expect(seal.open(`3${seal.seal(SECRET, bound).slice(1)}`, bound)).toBeUndefined();
  });

  it('never looks the same twice', () => {
    const bound = context();
    expect(seal.seal(SECRET, bound)).not.toBe(seal.seal(SECRET, bound));
  });

  it('does not open with the server key but another handle', () => {
    const bound = context();
    expect(seal.open(seal.seal(SECRET, bound), { ...bound, handle: newHandle() })).toBeUndefined();
  });

  it('does not open with the handle but another server key of the same id', () => {
    const bound = context();
    expect(new RecordSeal([key('first')]).open(seal.seal(SECRET, bound), bound)).toBeUndefined();
  });

  it('does not open under another store key or version', () => {
    const bound = context();
    const sealed = seal.seal(SECRET, bound);
    expect(seal.open(sealed, { ...bound, storeKey: storeKey(newHandle()) })).toBeUndefined();
    expect(seal.open(sealed, { ...bound, version: 2 })).toBeUndefined();
  });

  it('opens with an old key after a rotation, and reports that the key is old', () => {
    const bound = context();
    const sealed = seal.seal(SECRET, bound);
    const rotated = new RecordSeal([key('second'), first]);
    expect(rotated.open(sealed, bound)).toBe(SECRET);
    expect(rotated.isOld(sealed)).toBe(true);
    expect(rotated.isOld(rotated.seal(SECRET, bound))).toBe(false);
  });

  it.each([
    '',
    '1',
    '2.first',
    '2.first.',
    '2.first.AAAA',
    `2.${keyMark(first)}.`,
    `2.${keyMark(first)}.AAAA`,
    '1.first.AAAA',
    '2.gone.AAAA',
    `2.${keyMark(first)}.${'A'.repeat(80)}`,
    '....',
  ])('is not %j, and nothing crashes', (text) => {
    expect(seal.open(text, context())).toBeUndefined();
  });

  it('says whether it knows the key and the form, whatever else is wrong', () => {
    const sealed = seal.seal(SECRET, context());
    expect(seal.refusalOf(sealed)).toBe('not_authentic');
    expect(seal.refusalOf(`${sealed}x`)).toBe('not_authentic');
    expect(seal.refusalOf(sealed.replace('first', 'other'))).toBe('unknown_key');
    expect(seal.refusalOf(`3${sealed.slice(1)}`)).toBe('unknown_format');
    expect(seal.refusalOf('')).toBe('unknown_format');
    expect(new RecordSeal([key('first')]).refusalOf(sealed)).toBe('unknown_key');
  });

  it('does not open when any byte of it was changed', () => {
    const bound = context();
    const sealed = seal.seal(SECRET, bound);
    const start = sealed.lastIndexOf('.') + 1;
    const body = Buffer.from(sealed.slice(start), 'base64url');
    for (let index = 0; index < body.length; index += 1) {
      const changed = Buffer.from(body);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(seal.open(`${sealed.slice(0, start)}${changed.toString('base64url')}`, bound)).toBeUndefined();
    }
  });
});

describe('the keys that are derived for records', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('each wait for the end of their time in memory, and are gone at once when the record is forgotten', () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate'] });
    const seal = new RecordSeal([key('first')]);
    const [one, other] = [context(), context()];
    seal.seal(SECRET, one);
    seal.seal(SECRET, other);
    expect(vi.getTimerCount()).toBe(2);
    seal.forget(one.storeKey);
    expect(vi.getTimerCount()).toBe(1);
  });
});

it('Records that did not open are counted, each kind alone', () => {
  const refused = new RefusedRecords();
  expect([refused.add('unknown_key'), refused.add('unknown_key'), refused.add('not_authentic')]).toEqual([
    1, 2, 1,
  ]);
  expect(REFUSALS.map((refusal) => refused.count(refusal))).toEqual([0, 2, 1]);
});
