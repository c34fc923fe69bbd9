import { hkdfSync } from 'node:crypto';
import { type NamedKey } from '../../config/checks/key-list.js';

const CHECK_BYTES = 6;
const marks = new WeakMap<NamedKey, string>();

/**
 * Names a key in a record: its id and a check value that only this key has. So two hosts that use one id for two keys do not
 * treat each other's records as forged. The check value reveals nothing about the key.
 */
export function keyMark(named: NamedKey): string {
  const known = marks.get(named);
  if (known !== undefined) return known;
  const check = hkdfSync('sha256', named.key, '', 'portico session key check', CHECK_BYTES);
  const mark = `${named.kid}~${Buffer.from(check).toString('base64url')}`;
  marks.set(named, mark);
  return mark;
}
