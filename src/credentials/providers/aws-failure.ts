import { type CredentialReason } from '../../errors/credential-error.js';
import { reasonOfStatus, reasonWithoutStatus } from './http-failure.js';

/** AWS answers nearly every refusal with status 400, so the error's name tells them apart. */
const REASONS: Readonly<Record<string, CredentialReason>> = {
  ResourceNotFoundException: 'NOT_FOUND',
  ParameterNotFound: 'NOT_FOUND',
  ParameterVersionNotFound: 'NOT_FOUND',
  ThrottlingException: 'THROTTLED',
  TooManyRequestsException: 'THROTTLED',
  RequestLimitExceeded: 'THROTTLED',
  CredentialsProviderError: 'NOT_CONFIGURED',
  TokenProviderError: 'NOT_CONFIGURED',
};

/** What an error of an AWS SDK means. */
export function reasonOfAwsError(error: unknown): CredentialReason {
  const { name, message, $fault, $metadata } = error as AwsError;
  const named = name === undefined ? undefined : REASONS[name];
  if (named !== undefined) return named;
  if (message === 'Region is missing') return 'NOT_CONFIGURED';
  return $fault === undefined || $metadata?.httpStatusCode === undefined
    ? reasonWithoutStatus(error)
    : reasonOfStatus($metadata.httpStatusCode);
}

interface AwsError {
  readonly name?: string;
  readonly message?: string;
  readonly $fault?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}
