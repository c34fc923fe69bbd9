import { type CredentialReason } from '../../errors/credential-error.js';
import { reasonOfStatus, reasonWithoutStatus } from './http-failure.js';

/** The gRPC codes that are about the request. */
const REASONS: Readonly<Record<number, CredentialReason>> = {
  3: 'DENIED', // INVALID_ARGUMENT
  5: 'NOT_FOUND',
  7: 'DENIED', // PERMISSION_DENIED
  8: 'THROTTLED', // RESOURCE_EXHAUSTED
  9: 'DENIED', // FAILED_PRECONDITION: the version is disabled or destroyed
  16: 'DENIED', // UNAUTHENTICATED
};

/** What an error of Google's SDK means: it has an HTTP status, or, from version 7 on and over gRPC, gRPC's code. */
export function reasonOfGoogleError(error: unknown): CredentialReason {
  const { status, code } = error as { status?: unknown; code?: unknown };
  if (typeof status === 'number') return reasonOfStatus(status);
  return (typeof code === 'number' ? REASONS[code] : undefined) ?? reasonWithoutStatus(error);
}
