import { createHash, timingSafeEqual } from 'node:crypto';
import { type CredentialProfile } from './credential-profile.js';

/** A digest that no known key has. It is compared if there is no profile, so that both cases take the same time. */
const NO_DIGEST = Buffer.alloc(32);

/** Whether a key opens a profile, in a time that depends on neither. Without a profile: never. */
export function isProfileKey(profile: CredentialProfile | undefined, key: string): boolean {
  const expected = profile === undefined ? NO_DIGEST : Buffer.from(profile.profileKeySha256, 'hex');
  const matches = timingSafeEqual(createHash('sha256').update(key).digest(), expected);
  return matches && profile !== undefined;
}
