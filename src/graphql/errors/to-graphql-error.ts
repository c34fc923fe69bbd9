import { unwrapResolverError } from '@apollo/server/errors';
import { type GraphQLFormattedError } from 'graphql';
import { RateLimitedError } from '../../errors/rate-limited-error.js';
import { PlatformError } from '../../client/index.js';
import { CredentialError, type CredentialReason } from '../../errors/credential-error.js';
import { SessionStoreUnavailableError } from '../../errors/session-store-unavailable-error.js';
import { type ErrorCode } from '../../errors/error-codes.js';
import { type ErrorReason } from '../../errors/error-reasons.js';
import { ERROR_TABLE } from './error-table.js';
import { requestError, type RequestError } from './request-error.js';

/** What passes by itself; the others need the operator. */
const PASSING: readonly CredentialReason[] = ['THROTTLED', 'TIMEOUT', 'UNREACHABLE'];

const UNFORESEEN = { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' } as const;

/**
 * The one place where errors become GraphQL errors. What is not named here or in the table is masked.
 *
 * @param formatted the error as GraphQL would print it; only its place in the request is kept.
 * @param schemaIsPublic whether the message may hold names of the schema.
 */
export function toGraphQLError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  schemaIsPublic = false,
): GraphQLFormattedError {
  const place = {
    ...(formatted.path && { path: formatted.path }),
    ...(formatted.locations && { locations: formatted.locations }),
  };
  const cause = unwrapResolverError(thrown);
  const refused = requestError(formatted, cause, schemaIsPublic);
  return { ...(refused ? fromRequest(refused) : fromFailure(cause)), ...place };
}

/** True for what only a fault of ours, or a hostile caller, can cause: it is logged whole. */
export function isUnforeseen(error: GraphQLFormattedError): boolean {
  return error.extensions?.code === UNFORESEEN.code;
}

/** True for an error that the mapping knows: the caller is told of it, and nobody has to be called. */
export function isForeseen(error: unknown): boolean {
  return error instanceof Error && !isUnforeseen(fromFailure(error));
}

function fromRequest({ code, message, reason }: RequestError): GraphQLFormattedError {
  return say(code, message, { ...defined({ reason }), retryable: false });
}

function fromFailure(thrown: unknown): GraphQLFormattedError {
  if (thrown instanceof PlatformError) return fromPlatformError(thrown);
  if (thrown instanceof SessionStoreUnavailableError) {
    return say('SESSION_STORE_UNAVAILABLE', 'Sessions cannot be looked up now', {
      retryable: true,
      retryAfter: 1,
    });
  }
  if (thrown instanceof CredentialError) return fromCredentialError(thrown);
  if (thrown instanceof RateLimitedError) {
    return say('RATE_LIMITED', 'Too many failed logins', {
      retryable: true,
      retryAfter: thrown.retryAfterSeconds,
    });
  }
  return say(UNFORESEEN.code, UNFORESEEN.message, { retryable: false });
}

function fromPlatformError(error: PlatformError): GraphQLFormattedError {
  const row = ERROR_TABLE.find(({ kind }) => error instanceof kind);
  if (row === undefined) return say(UNFORESEEN.code, UNFORESEEN.message, { retryable: false });
  const reason = row.reason?.of(error);
  // A wrong user and a wrong password must read the same, so nothing that tells them apart is passed on.
  if (reason === 'LOGIN_FAILED') {
    return say(row.code, 'Login failed', { reason, platformCode: error.code, retryable: false });
  }
  return say(row.code, error.message, {
    ...defined({
      reason,
      platformCode: error.code,
      iserverCode: error.iserverCode,
      iserverMessage: error.iserverMessage,
      ticketId: error.ticketId,
      platformStatus: error.status,
      retryAfter: error.retryAfterSeconds,
    }),
    retryable: error.retryable,
  });
}

/** Store and secret have names that are the operator's business: the log has them. */
function fromCredentialError({ reason }: CredentialError): GraphQLFormattedError {
  return say('CREDENTIAL_UNAVAILABLE', 'A credential of the profile cannot be had', {
    reason: `SECRET_${reason}` satisfies ErrorReason,
    retryable: PASSING.includes(reason),
  });
}

function say(code: ErrorCode, message: string, extensions: Record<string, unknown>): GraphQLFormattedError {
  return { message, extensions: { code, ...extensions } };
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
