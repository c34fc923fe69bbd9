import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { type NamedKey } from '../../config/checks/key-list.js';

const FORMAT = '1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a sealed text is bound to: moved to another key or version, it does not open. */
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
  /** @param keys newest first: the first seals, all open. */
  constructor(private readonly keys: readonly [NamedKey, ...NamedKey[]]) {}

  seal(plaintext: string, context: SealContext): string {
    const [{ kid, key }] = this.keys;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', recordKey(key, context.handle), nonce);
    cipher.setAAD(boundTo(kid, context));
    const body = Buffer.concat([
      nonce,
      cipher.update(plaintext, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `${FORMAT}.${kid}.${body.toString('base64url')}`;
  }

  /** The plaintext, or undefined where the text was not sealed for this context by a key that is still known. */
  open(sealed: string, context: SealContext): string | undefined {
    const [format, kid, text] = sealed.split('.');
    const key = this.keys.find((known) => known.kid === kid)?.key;
    if (format !== FORMAT || kid === undefined || text === undefined || key === undefined) return undefined;
    const body = Buffer.from(text, 'base64url');
    if (body.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(
      'aes-256-gcm',
      recordKey(key, context.handle),
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

  /** Whether the text says that it was sealed in this form by a key that is known here. */
  isOfKnownKey(sealed: string): boolean {
    const [format, kid] = sealed.split('.');
    return format === FORMAT && this.keys.some((known) => known.kid === kid);
  }

  /** True when the text was sealed by an older key, so that the next write should seal it anew. */
  isOld(sealed: string): boolean {
    return !sealed.startsWith(`${FORMAT}.${this.keys[0].kid}.`);
  }
}

function recordKey(serverKey: Buffer, handle: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', serverKey, Buffer.from(handle), 'portico session record', 32));
}

function boundTo(kid: string, { storeKey, version }: SealContext): Buffer {
  return Buffer.from(`${FORMAT}.${kid}.${storeKey}.${version}`);
}
