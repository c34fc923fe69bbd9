import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type NamedKey } from '../config/key-list.js';

const FORMAT = '2';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CHECK_BYTES = 6;

/** How many derived keys are kept, and for how long after their last use. The same as for open sessions. */
const MOST_KEYS = 2000;
const KEY_MS = 20_000;

/**
 * Why a stored record was not opened: it has a form that only another version knows, it was sealed by an unknown key,
 * or it is not what this key sealed there.
 */
export const REFUSALS = ['unknown_format', 'unknown_key', 'not_authentic'] as const;

export type Refusal = (typeof REFUSALS)[number];

/** Counts the stored records that were not opened since the process started. */
export class RefusedRecords {
  readonly #counts: Record<Refusal, number> = { unknown_format: 0, unknown_key: 0, not_authentic: 0 };

  /** Counts one more. Returns the count of its kind, from 1. */
  add(refusal: Refusal): number {
    return (this.#counts[refusal] += 1);
  }

  count(refusal: Refusal): number {
    return this.#counts[refusal];
  }
}

/** What a sealed text is bound to. Under another key or version it does not open. */
export interface SealContext {
  readonly handle: string;
  readonly storeKey: string;
  readonly version: number;
}

/**
 * Seals records with AES-256-GCM under a key derived from a server key and the handle, so that neither
 * a dump of the store nor a server key opens a session without the handle.
 */
export class RecordSeal {
  readonly #keys: readonly [ServerKey, ...ServerKey[]];
  readonly #derived = new LRUCache<string, DerivedKey>({
    max: MOST_KEYS,
    ttl: KEY_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  });

  /** @param keys newest first. The first one seals; each of them opens. */
  constructor(keys: readonly [NamedKey, ...NamedKey[]]) {
    const [first, ...rest] = keys;
    this.#keys = [imported(first), ...rest.map(imported)];
  }

  /**
   * @param open what is readable to all who have the text, in a form without dots; it is not part of what is sealed.
   */
  seal(plaintext: string, context: SealContext, open = ''): string {
    const [key] = this.#keys;
    const { kid, mark } = key;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#recordKey(key, context), nonce);
    cipher.setAAD(boundTo(kid, context));
    const body = Buffer.concat([
      nonce,
      cipher.update(plaintext, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    const sealed = `${FORMAT}.${mark}.${body.toString('base64url')}`;
    return open === '' ? sealed : `${sealed}.${open}`;
  }

  /** The plaintext, or undefined if the text was not sealed for this context by a known key. */
  open(sealed: string, context: SealContext): string | undefined {
    const [, , text = ''] = sealed.split('.');
    const key = this.#keyOf(sealed);
    if (key === undefined) return undefined;
    const { kid } = key;
    const body = Buffer.from(text, 'base64url');
    if (body.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(
      'aes-256-gcm',
      this.#recordKey(key, context),
      body.subarray(0, NONCE_BYTES),
    );
    decipher.setAAD(boundTo(kid, context));
    decipher.setAuthTag(body.subarray(-TAG_BYTES));
    try {
      return (
        decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    } catch {
      return undefined;
    }
  }

  /** Why a text that did not open did not. Compares the key's check value, not only its id. */
  refusalOf(sealed: string): Refusal {
    if (!sealed.startsWith(`${FORMAT}.`)) return 'unknown_format';
    return this.#keyOf(sealed) === undefined ? 'unknown_key' : 'not_authentic';
  }

  /** Whether an older key sealed the text, so that the next write should seal it again. */
  isOld(sealed: string): boolean {
    return !sealed.startsWith(`${FORMAT}.${this.#keys[0].mark}.`);
  }

  /** Drops the key that was derived for a record. */
  forget(storeKey: string): void {
    this.#derived.delete(storeKey);
  }

  #keyOf(sealed: string): ServerKey | undefined {
    const [format, mark] = sealed.split('.');
    return format === FORMAT ? this.#keys.find((known) => known.mark === mark) : undefined;
  }

  #recordKey({ kid, key }: ServerKey, { handle, storeKey }: SealContext): KeyObject {
    const kept = this.#derived.get(storeKey);
    if (kept?.kid === kid && kept.handle === handle) return kept.key;
    const derived = createSecretKey(
      new Uint8Array(hkdfSync('sha256', key, Buffer.from(handle), 'portico session record', 32)),
    );
    this.#derived.set(storeKey, { kid, handle, key: derived });
    return derived;
  }
}

/**
 * A key from the settings, in the form that Node's crypto uses directly. Bytes would be turned into a key at each
 * use.
 */
interface ServerKey {
  readonly kid: string;
  readonly mark: string;
  readonly key: KeyObject;
}

interface DerivedKey {
  readonly kid: string;
  readonly handle: string;
  readonly key: KeyObject;
}

function imported(named: NamedKey): ServerKey {
  return { kid: named.kid, mark: keyMark(named), key: createSecretKey(named.key) };
}

function boundTo(kid: string, { storeKey, version }: SealContext): Buffer {
  return Buffer.from(`${FORMAT}.${kid}.${storeKey}.${version}`);
}

/**
 * Names a key in a record: its id and a check value that only this key has. So two hosts that use one id for two
 * keys do not treat each other's records as forged. The check value reveals nothing about the key.
 */
export function keyMark(named: NamedKey): string {
  const check = hkdfSync('sha256', named.key, '', 'portico session key check', CHECK_BYTES);
  return `${named.kid}~${Buffer.from(check).toString('base64url')}`;
}
