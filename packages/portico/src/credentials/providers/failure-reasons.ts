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

/** AWS answers nearly every refusal with status 400, so they are told apart by the error's name. */
const REASONS: Readonly<Record<string, CredentialReason>> = {
  ResourceNotFoundException: 'NOT_FOUND',
  ParameterNotFound: 'NOT_FOUND',
  ParameterVersionNotFound: 'NOT_FOUND',
  ThrottlingException: 'THROTTLED',
  TooManyRequestsException: 'THROTTLED',
  RequestLimitExceeded: 'THROTTLED',
};

/** What an error of an AWS SDK means when it asks for a secret. */
export function reasonOfAwsError(error: unknown): CredentialReason {
  const { name = '', message, $metadata } = error as AwsError;
  const named = Object.hasOwn(REASONS, name) ? REASONS[name] : undefined;
  if (named !== undefined) return named;
  if (message === 'Region is missing') return 'NOT_CONFIGURED';
  // A gateway's HTML page is a SyntaxError to the SDK, but the status says what happened.
  const status = $metadata?.httpStatusCode;
  // Within an answer, the connection may still break.
  return status === undefined || status === 200 ? reasonWithoutStatus(error) : reasonOfStatus(status);
}

interface AwsError {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}
