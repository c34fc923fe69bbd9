import { type CredentialReason } from '../../errors/credential-error.js';

/** What the HTTP status of an answer without a secret means. */
export function reasonOfStatus(status: number): CredentialReason {
  if (status === 404) return 'NOT_FOUND';
  if (status === 429) return 'THROTTLED';
  if (status >= 500) return 'UNREACHABLE';
  return status >= 400 ? 'DENIED' : 'MALFORMED';
}

/** What an SDK's error without an HTTP status means: an answer that it cannot parse, or no answer. */
export function reasonWithoutStatus(error: unknown): CredentialReason {
  const { name, cause } = error as { name?: string; cause?: unknown };
  // `fetch` reports a failed connection as a TypeError too, but with a cause.
  const unreadable = name === 'SyntaxError' || (name === 'TypeError' && cause === undefined);
  return unreadable ? 'MALFORMED' : 'UNREACHABLE';
}
