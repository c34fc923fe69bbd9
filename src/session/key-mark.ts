import { hkdfSync } from 'node:crypto';
import { type NamedKey } from '../config/key-list.js';

const CHECK_BYTES = 6;

/**
 * Names a key in a record: its id and a check value that only this key has. So two hosts that use one id for two keys do not
 * treat each other's records as forged. The check value reveals nothing about the key.
 */
export function keyMark(named: NamedKey): string {
  const check = hkdfSync('sha256', named.key, '', 'portico session key check', CHECK_BYTES);
  return `${named.kid}~${Buffer.from(check).toString('base64url')}`;
}
