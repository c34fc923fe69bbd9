import { type CredentialReason } from '../../errors/credential-error.js';

/** What a store's HTTP status means when it brings no secret. */
export function reasonOfStatus(status: number): CredentialReason {
  if (status === 404) return 'NOT_FOUND';
  if (status === 429) return 'THROTTLED';
  return status >= 500 ? 'UNREACHABLE' : 'DENIED';
}

/** What an SDK's error means that comes from no refusal: an answer it cannot parse, or none at all. */
export function reasonWithoutStatus(error: unknown): CredentialReason {
  return error instanceof Error && ['SyntaxError', 'TypeError'].includes(error.name)
    ? 'MALFORMED'
    : 'UNREACHABLE';
}
