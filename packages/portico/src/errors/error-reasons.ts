import { type ErrorCode } from './error-codes.js';

/**
 * One reason.
 * @example
 * const facts: ReasonFacts = REASON_TABLE.ACCOUNT_LOCKED;
 * console.log(facts.codes); // [ 'UNAUTHENTICATED' ]
 */
export interface ReasonFacts {
  /** What the reason adds to the code. */
  readonly meaning: string;
  /** The codes that the reason comes with. */
  readonly codes: readonly ErrorCode[];
  /** The codes of the back-end server that the reason stands for. */
  readonly iserverCodes?: readonly number[];
}

/**
 * The one table of reasons. The public types, the mapping and the list of errors follow from it.
 * @example
 * console.log(REASON_TABLE.SESSION_EXPIRED.codes); // [ 'UNAUTHENTICATED' ]
 */
export const REASON_TABLE = {
  NO_SESSION: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'The request has no handle, or no session belongs to its handle.',
  },
  SESSION_EXPIRED: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'The platform no longer knows the session (`ERR009`, or `ERR003` on any call but a login).',
  },
  LOGIN_FAILED: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'The platform rejected the user name and password, the API key or the token.',
  },
  PASSWORD_EXPIRED: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'The password has expired or must be changed.',
    iserverCodes: [-2147216960, -2147216963, -2147216968],
  },
  ACCOUNT_DISABLED: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'The account is disabled.',
    iserverCodes: [-2147216965],
  },
  ACCOUNT_LOCKED: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'The account is locked, usually after too many failed logins.',
    iserverCodes: [-2147216972, -2147202287, -2147072513],
  },
  STANDARD_AUTH_DISABLED: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'The platform does not accept user names and passwords.',
    iserverCodes: [-2147213792],
  },
  ALREADY_EXISTS: { codes: ['CONFLICT'], meaning: 'An object with that name already exists.' },
  AMBIGUOUS_NAME: {
    codes: ['CONFLICT'],
    meaning: 'Several projects have that name; `ids` lists them, at most ten.',
  },
  SESSION_LIMIT: {
    codes: ['PLATFORM_ERROR'],
    meaning: 'The platform does not allow another session.',
    iserverCodes: [-2147072486, -2147209052, -2147073423, -2147073424],
  },
  PROJECT_NOT_LOADED: {
    codes: ['PLATFORM_ERROR'],
    meaning: 'The project is listed but not loaded.',
    iserverCodes: [-2147209151, -2147209192, -2147209177, -2147209183],
  },
  LIMIT_EXCEEDED: {
    codes: ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'],
    meaning: 'The document exceeds a limit; the message names it.',
  },
  ANSWER_TOO_LARGE: {
    codes: ['GRAPHQL_VALIDATION_FAILED'],
    meaning: 'The result of the field is too large for the answer; the message names the limit.',
  },
  ORIGIN_NOT_ALLOWED: {
    codes: ['FORBIDDEN'],
    meaning:
      'A mutation came from a page whose origin is not allowed, or used the cookie without an `Origin`.',
  },
  ANONYMOUS_LOGIN_OFF: { codes: ['FORBIDDEN'], meaning: 'Anonymous logins are turned off.' },
  IDENTITY_TOKENS_OFF: {
    codes: ['FORBIDDEN'],
    meaning: 'Identity tokens are turned off (`IDENTITY_TOKENS`).',
  },
  FAILED_LOGINS: {
    codes: ['RATE_LIMITED'],
    meaning: 'Too many logins to the account have failed from the same network.',
  },
  LOGIN_RATE: { codes: ['RATE_LIMITED'], meaning: 'Too many logins have come from the same network.' },
  LOGIN_QUEUE: {
    codes: ['RATE_LIMITED'],
    meaning:
      'The login waited too long for its turn: after many failed logins, further logins from that network are slowed down.',
  },
  CROSS_SITE_COOKIE: {
    codes: ['FORBIDDEN'],
    meaning: 'A cookie login came from a page on another site: its browser would never send the cookie back.',
  },
  STORE_READ_ONLY: {
    codes: ['SESSION_STORE_UNAVAILABLE'],
    meaning: 'The session store takes no writes: logins fail, and sessions that have begun go on.',
  },
  SESSION_BUSY: {
    codes: ['OVERLOADED'],
    meaning: 'The session has `MAX_IN_FLIGHT_PER_SESSION` requests in flight.',
  },
  ADDRESS_BUSY: {
    codes: ['OVERLOADED'],
    meaning: 'Callers without a session have too many requests in flight from one address.',
  },
  SERVICE_BUSY: {
    codes: ['OVERLOADED'],
    meaning: 'The service has as many requests in flight as it can answer in time.',
  },
  CONNECT: { codes: ['UPSTREAM_UNAVAILABLE'], meaning: 'The connection was refused or reset.' },
  DNS: { codes: ['UPSTREAM_UNAVAILABLE'], meaning: 'The host name was not found.' },
  TLS: { codes: ['UPSTREAM_UNAVAILABLE'], meaning: 'No trusted TLS connection could be made.' },
  CIRCUIT_OPEN: {
    codes: ['UPSTREAM_UNAVAILABLE'],
    meaning: 'The platform failed too often and is not called for a while.',
  },
  SECRET_NOT_FOUND: { codes: ['CREDENTIAL_UNAVAILABLE'], meaning: 'The secret store has no such secret.' },
  SECRET_DENIED: { codes: ['CREDENTIAL_UNAVAILABLE'], meaning: 'The secret store denied access.' },
  SECRET_NOT_CONFIGURED: {
    codes: ['CREDENTIAL_UNAVAILABLE'],
    meaning: 'The service has no credentials or region for the secret store.',
  },
  SECRET_THROTTLED: {
    codes: ['CREDENTIAL_UNAVAILABLE'],
    meaning: 'The secret store received too many requests.',
  },
  SECRET_TIMEOUT: { codes: ['CREDENTIAL_UNAVAILABLE'], meaning: 'The secret store did not answer in time.' },
  SECRET_UNREACHABLE: {
    codes: ['CREDENTIAL_UNAVAILABLE'],
    meaning: 'The secret store cannot be reached or failed.',
  },
  SECRET_MALFORMED: { codes: ['CREDENTIAL_UNAVAILABLE'], meaning: 'The secret cannot be read.' },
  SECRET_EMPTY: { codes: ['CREDENTIAL_UNAVAILABLE'], meaning: 'The secret is empty.' },
  SECRET_MISSING_KEY: {
    codes: ['CREDENTIAL_UNAVAILABLE'],
    meaning: 'The secret does not have the key that the profile names.',
  },
  SECRET_MISSING_SDK: {
    codes: ['CREDENTIAL_UNAVAILABLE'],
    meaning: 'A package that the secret store needs is not installed.',
  },
} as const satisfies Readonly<Record<string, ReasonFacts>>;

/**
 * What an error adds to its code.
 * @example
 * const reason: ErrorReason = 'SESSION_EXPIRED';
 */
export type ErrorReason = keyof typeof REASON_TABLE;

/**
 * Every `extensions.reason`, with what it adds to the code.
 * @example
 * console.log(ERROR_REASONS.NO_SESSION); // The request has no handle, or no session belongs to its handle.
 */
export const ERROR_REASONS = Object.fromEntries(
  Object.entries(REASON_TABLE).map(([reason, { meaning }]) => [reason, meaning]),
) as Readonly<Record<ErrorReason, string>>;
