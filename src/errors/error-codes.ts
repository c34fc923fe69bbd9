/** Every `extensions.code` that an answer can carry, with what it means to the caller. */
export const ERROR_CODES = {
  UNAUTHENTICATED: 'There is no session, it has ended, or the login was refused: log in.',
  FORBIDDEN: 'The user lacks a privilege or permission.',
  NOT_FOUND: 'The platform does not know what was asked for.',
  BAD_USER_INPUT: 'A value of the request cannot be used, or a required one is missing.',
  CONFLICT: 'The request does not fit what is there.',
  BACKEND_ERROR: 'The server behind the platform failed or cannot be reached by it.',
  PLATFORM_ERROR: 'The platform answered with another error of its own.',
  UNKNOWN_PLATFORM_ERROR: 'The platform answered with an error that carries no known code.',
  CANCELLED: 'The execution was cancelled.',
  UPSTREAM_UNAVAILABLE: 'The platform cannot be reached.',
  UPSTREAM_TIMEOUT: 'The platform did not answer in time.',
  UPSTREAM_PROTOCOL: 'The platform answered in a way that cannot be used.',
  SESSION_STORE_UNAVAILABLE: 'Sessions cannot be looked up now; the session itself is not lost. Try again.',
  CREDENTIAL_UNAVAILABLE:
    'A credential of the profile cannot be had; the log says which one, under the `requestId`.',
  RATE_LIMITED: 'Too many attempts; `retryAfter` says in how many seconds to try again.',
  BAD_REQUEST: 'The HTTP request is not a GraphQL request.',
  GRAPHQL_PARSE_FAILED: 'The document is not GraphQL.',
  GRAPHQL_VALIDATION_FAILED: 'The document does not fit the schema or a limit.',
  PERSISTED_QUERY_NOT_FOUND: 'The document is not on the list of those that are allowed.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'Documents cannot be named by their hash here: send them whole.',
  INTERNAL_SERVER_ERROR: 'An unforeseen fault; the log has it under the `requestId`.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Every `extensions.reason`, with what it adds to the code. */
export const ERROR_REASONS = {
  NO_SESSION: 'No handle was sent, or it opens nothing.',
  SESSION_EXPIRED: 'The platform no longer knows the session (`ERR009`).',
  LOGIN_FAILED: 'User name and password, key or token were refused.',
  PASSWORD_EXPIRED: 'The password has expired or must be changed.',
  ACCOUNT_DISABLED: 'The account is disabled.',
  ACCOUNT_LOCKED: 'The account is locked, most often after too many failed logins.',
  STANDARD_AUTH_DISABLED: 'The platform does not take user names and passwords.',
  ALREADY_EXISTS: 'An object of that name is there already.',
  AMBIGUOUS_NAME: 'Several projects have that name; the message lists their ids.',
  SESSION_LIMIT: 'The platform allows no further session.',
  PROJECT_NOT_LOADED: 'The project is listed but not loaded.',
  LIMIT_EXCEEDED: 'The document asks for more than the message names.',
  ORIGIN_NOT_ALLOWED:
    'A mutation came from a page of an origin that is not allowed, or by cookie without `Origin`.',
  CONNECT: 'The connection was refused or reset.',
  DNS: 'The host name was not found.',
  TLS: 'No trusted TLS connection could be made.',
  CIRCUIT_OPEN: 'The platform has failed too often; it is left alone for a while.',
  SECRET_NOT_FOUND: 'The secret store has no such secret.',
  SECRET_DENIED: 'The secret store refused the request.',
  SECRET_NOT_CONFIGURED: 'The service has no login or region for the secret store.',
  SECRET_THROTTLED: 'The secret store asks for fewer requests.',
  SECRET_TIMEOUT: 'The secret store did not answer in time.',
  SECRET_UNREACHABLE: 'The secret store cannot be reached or failed.',
  SECRET_MALFORMED: 'The secret cannot be read.',
  SECRET_EMPTY: 'The secret is empty.',
  SECRET_MISSING_KEY: 'The secret lacks the key that the profile names.',
  SECRET_MISSING_SDK: 'A package that the secret store needs is not installed.',
} as const;

export type ErrorReason = keyof typeof ERROR_REASONS;
