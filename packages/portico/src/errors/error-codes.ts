/**
 * Every `extensions.code` that an answer can carry, with what it means to the caller.
 * @example
 * console.log(ERROR_CODES.CANCELLED); // The call was canceled.
 */
export const ERROR_CODES = {
  UNAUTHENTICATED: 'There is no session, it has ended, or the login failed: log in.',
  FORBIDDEN: 'The user lacks a privilege or permission, or the request is not allowed.',
  NOT_FOUND: 'The platform does not have what was asked for.',
  BAD_USER_INPUT: 'A value in the request is invalid, or a required value is missing.',
  CONFLICT: 'The request conflicts with what already exists.',
  BACKEND_ERROR: 'The server behind the platform failed, or the platform cannot reach it.',
  PLATFORM_ERROR: 'The platform answered with another error code.',
  UNKNOWN_PLATFORM_ERROR: 'The platform answered with an error that has no recognized code.',
  CANCELLED: 'The call was canceled.',
  UPSTREAM_UNAVAILABLE: 'The platform cannot be reached.',
  UPSTREAM_TIMEOUT: 'The platform did not answer in time.',
  UPSTREAM_PROTOCOL: 'The answer from the platform is malformed or too large.',
  SESSION_STORE_UNAVAILABLE: 'The session store cannot be reached. The session is not lost: try again.',
  CREDENTIAL_UNAVAILABLE:
    'A credential of the profile cannot be loaded; the log names it, under the same `requestId`.',
  RATE_LIMITED:
    'Too many logins are waiting, were made, or have failed; `retryAfter` is the number of seconds to wait.',
  OVERLOADED:
    'Too many requests are in flight. Nothing was done; `retryAfter` is the number of seconds to wait.',
  BAD_REQUEST: 'The HTTP request is not a GraphQL request.',
  GRAPHQL_PARSE_FAILED: 'The document is not valid GraphQL syntax.',
  GRAPHQL_VALIDATION_FAILED: 'The document does not match the schema or exceeds a limit.',
  PERSISTED_QUERY_NOT_FOUND: 'The document is not on the list of allowed documents.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'Persisted queries are not enabled: send the whole document.',
  INTERNAL_SERVER_ERROR: 'An unexpected fault; the log has the details, under the same `requestId`.',
} as const;

/**
 * The `extensions.code` of an error.
 * @example
 * const code: ErrorCode = 'UNAUTHENTICATED';
 */
export type ErrorCode = keyof typeof ERROR_CODES;
