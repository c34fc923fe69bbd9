import { type CredentialReason } from '../../errors/credential-error.js';
import { reasonOfStatus, reasonWithoutStatus } from './http-failure.js';

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
  return status === undefined ? reasonWithoutStatus(error) : reasonOfStatus(status);
}

interface AwsError {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}
