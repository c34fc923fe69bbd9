import { CredentialError, type SecretOrigin } from '../../errors/credential-error.js';

/** The error for a secret that holds bytes instead of text. */
export function binarySecret(origin: SecretOrigin): CredentialError {
  return new CredentialError(origin, 'MALFORMED', 'the secret is binary, not text');
}

/**
 * Reads a secret's bytes as UTF-8.
 *
 * @throws CredentialError `MALFORMED` when they are not UTF-8
 */
export function secretText(origin: SecretOrigin, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw binarySecret(origin);
  }
}
