import { expect } from 'vitest';
import {
  CredentialError,
  type CredentialReason,
  type CredentialStore,
} from '../../../src/credentials/index.js';
import { type SecretCanary } from '../secrets/secret-canary.js';

/** Asks for a credential that cannot be loaded: the error says why and where, and shows nothing of the secret. */
export async function expectCredentialError(
  ask: () => unknown,
  expected: { store: CredentialStore; secret: string; reason: CredentialReason },
  canary: SecretCanary,
): Promise<CredentialError> {
  const outcome: unknown = await Promise.resolve(ask()).then(
    () => 'a credential',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(CredentialError);
  const error = outcome as CredentialError;
  expect({ store: error.store, secret: error.secret, reason: error.reason }).toEqual(expected);
  expect(error.message).toContain(`${expected.store} "${expected.secret}"`);
  expect(error.cause).toBeUndefined();
  expect(canary.isIn(error)).toBe(false);
  return error;
}
