// Generated from error-codes.ts and error-reasons.ts by npm run generate.
import type { ErrorCode } from './error-codes.js';
import type { ErrorReason } from './error-reasons.js';

/**
 * Every code, with the reasons that it may come with.
 * @example
 * console.log(REASONS_OF_CODES.CONFLICT); // [ 'ALREADY_EXISTS', 'AMBIGUOUS_NAME' ]
 */
export const REASONS_OF_CODES = {
  UNAUTHENTICATED: [
    'NO_SESSION',
    'SESSION_EXPIRED',
    'LOGIN_FAILED',
    'PASSWORD_EXPIRED',
    'ACCOUNT_DISABLED',
    'ACCOUNT_LOCKED',
    'STANDARD_AUTH_DISABLED',
  ],
  FORBIDDEN: [
    'ORIGIN_NOT_ALLOWED',
    'ANONYMOUS_LOGIN_OFF',
    'IDENTITY_TOKENS_OFF',
    'CROSS_SITE_COOKIE',
  ],
  NOT_FOUND: [],
  BAD_USER_INPUT: [],
  CONFLICT: [
    'ALREADY_EXISTS',
    'AMBIGUOUS_NAME',
  ],
  BACKEND_ERROR: [],
  PLATFORM_ERROR: [
    'SESSION_LIMIT',
    'PROJECT_NOT_LOADED',
  ],
  UNKNOWN_PLATFORM_ERROR: [],
  CANCELLED: [],
  UPSTREAM_UNAVAILABLE: [
    'CONNECT',
    'DNS',
    'TLS',
    'CIRCUIT_OPEN',
  ],
  UPSTREAM_TIMEOUT: [],
  UPSTREAM_PROTOCOL: [],
  SESSION_STORE_UNAVAILABLE: [
    'STORE_READ_ONLY',
  ],
  CREDENTIAL_UNAVAILABLE: [
    'SECRET_NOT_FOUND',
    'SECRET_DENIED',
    'SECRET_NOT_CONFIGURED',
    'SECRET_THROTTLED',
    'SECRET_TIMEOUT',
    'SECRET_UNREACHABLE',
    'SECRET_MALFORMED',
    'SECRET_EMPTY',
    'SECRET_MISSING_KEY',
    'SECRET_MISSING_SDK',
  ],
  RATE_LIMITED: [
    'FAILED_LOGINS',
    'LOGIN_RATE',
    'LOGIN_QUEUE',
  ],
  OVERLOADED: [
    'SESSION_BUSY',
    'ADDRESS_BUSY',
    'SERVICE_BUSY',
  ],
  BAD_REQUEST: [],
  GRAPHQL_PARSE_FAILED: [
    'LIMIT_EXCEEDED',
  ],
  GRAPHQL_VALIDATION_FAILED: [
    'LIMIT_EXCEEDED',
    'ANSWER_TOO_LARGE',
  ],
  PERSISTED_QUERY_NOT_FOUND: [],
  PERSISTED_QUERY_NOT_SUPPORTED: [],
  INTERNAL_SERVER_ERROR: [],
} as const satisfies Readonly<Record<ErrorCode, readonly ErrorReason[]>>;
