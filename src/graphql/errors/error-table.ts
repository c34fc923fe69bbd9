import {
  AmbiguousProjectNameError,
  BackendServerError,
  ExecutionCancelledError,
  ForeignRedirectError,
  InsufficientPrivilegesError,
  InvalidRequestError,
  LoginFailedError,
  MissingCredentialError,
  ObjectAlreadyExistsError,
  PlatformError,
  PlatformHttpError,
  PlatformTimeoutError,
  PlatformUnreachableError,
  ResourceNotFoundError,
  SessionError,
  TooManyRedirectsError,
  UnknownPlatformError,
} from '../../client/index.js';
import { type ErrorCode, type ErrorReason } from '../../errors/error-codes.js';
import { iserverReason } from '../../errors/iserver-reasons.js';

/** How one kind of client error looks in GraphQL. */
export interface ErrorRow {
  /** What the platform did, in the words of the documentation. */
  readonly platform: string;
  readonly kind: abstract new (...args: never[]) => PlatformError;
  readonly code: ErrorCode;
  readonly reasons: readonly ErrorReason[];
  readonly reason?: (error: PlatformError) => ErrorReason | undefined;
}

/** From the particular to the general: the first row whose kind the error is, is its own. */
export const ERROR_TABLE: readonly ErrorRow[] = [
  {
    platform: 'ERR003',
    kind: LoginFailedError,
    code: 'UNAUTHENTICATED',
    reasons: [
      'LOGIN_FAILED',
      'PASSWORD_EXPIRED',
      'ACCOUNT_DISABLED',
      'ACCOUNT_LOCKED',
      'STANDARD_AUTH_DISABLED',
    ],
    reason: (error) =>
      iserverReason(
        error.iserverCode,
        'PASSWORD_EXPIRED',
        'ACCOUNT_DISABLED',
        'ACCOUNT_LOCKED',
        'STANDARD_AUTH_DISABLED',
      ) ?? 'LOGIN_FAILED',
  },
  {
    platform: 'ERR009; no or unknown handle',
    kind: SessionError,
    code: 'UNAUTHENTICATED',
    reasons: ['SESSION_EXPIRED', 'NO_SESSION'],
    reason: (error) => (error.kind === 'session-expired' ? 'SESSION_EXPIRED' : 'NO_SESSION'),
  },
  { platform: 'ERR0014, ERR0017', kind: InsufficientPrivilegesError, code: 'FORBIDDEN', reasons: [] },
  { platform: 'ERR004', kind: ResourceNotFoundError, code: 'NOT_FOUND', reasons: [] },
  { platform: 'ERR005, ERR006, ERR007', kind: InvalidRequestError, code: 'BAD_USER_INPUT', reasons: [] },
  {
    platform: 'ERR0015',
    kind: ObjectAlreadyExistsError,
    code: 'CONFLICT',
    reasons: ['ALREADY_EXISTS'],
    reason: () => 'ALREADY_EXISTS',
  },
  {
    platform: 'two projects of one name',
    kind: AmbiguousProjectNameError,
    code: 'CONFLICT',
    reasons: ['AMBIGUOUS_NAME'],
    reason: () => 'AMBIGUOUS_NAME',
  },
  {
    platform: 'a credential that is empty',
    kind: MissingCredentialError,
    code: 'BAD_USER_INPUT',
    reasons: [],
  },
  { platform: 'ERR002, ERR0013', kind: BackendServerError, code: 'BACKEND_ERROR', reasons: [] },
  { platform: 'no recognised code', kind: UnknownPlatformError, code: 'UNKNOWN_PLATFORM_ERROR', reasons: [] },
  { platform: 'cancelled', kind: ExecutionCancelledError, code: 'CANCELLED', reasons: [] },
  {
    platform: 'refused, reset, DNS, TLS',
    kind: PlatformUnreachableError,
    code: 'UPSTREAM_UNAVAILABLE',
    reasons: ['CONNECT', 'DNS', 'TLS', 'CIRCUIT_OPEN'],
    reason: (error) => (error instanceof PlatformUnreachableError ? error.reason : undefined),
  },
  { platform: 'too slow', kind: PlatformTimeoutError, code: 'UPSTREAM_TIMEOUT', reasons: [] },
  {
    platform: 'not JSON, too large, login not 204 or without exactly one token',
    kind: PlatformHttpError,
    code: 'UPSTREAM_PROTOCOL',
    reasons: [],
  },
  { platform: 'too many redirects', kind: TooManyRedirectsError, code: 'UPSTREAM_PROTOCOL', reasons: [] },
  {
    platform: 'a redirect to another origin',
    kind: ForeignRedirectError,
    code: 'UPSTREAM_PROTOCOL',
    reasons: [],
  },
  {
    platform: 'any other code',
    kind: PlatformError,
    code: 'PLATFORM_ERROR',
    reasons: ['SESSION_LIMIT', 'PROJECT_NOT_LOADED'],
    reason: (error) => iserverReason(error.iserverCode, 'SESSION_LIMIT', 'PROJECT_NOT_LOADED'),
  },
];
