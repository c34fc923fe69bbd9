import {
  AmbiguousProjectNameError,
  BackendServerError,
  ClientClosedError,
  ExecutionCancelledError,
  ForeignRedirectError,
  InsufficientPrivilegesError,
  InvalidRequestError,
  isSessionExpired,
  LoginFailedError,
  MissingCredentialError,
  ObjectAlreadyExistsError,
  PlatformError,
  PlatformHttpError,
  PlatformTimeoutError,
  PlatformUnreachableError,
  QueueTimeoutError,
  ResourceNotFoundError,
  SessionError,
  TooManyRedirectsError,
  UnknownPlatformError,
} from 'portico/client';
import { type ErrorCode, type ErrorReason, REASON_TABLE, type ReasonFacts } from 'portico/errors';

/** How the reason of an error is found. */
export interface ReasonRule {
  /** Every reason that it can give. */
  readonly possible: readonly ErrorReason[];
  readonly of: (error: PlatformError) => ErrorReason | undefined;
}

/** How one kind of client error looks in GraphQL. */
export interface ErrorRow {
  /** What the platform did, in the words of the documentation. */
  readonly platform: string;
  readonly kind: abstract new (...args: never[]) => PlatformError;
  readonly code: ErrorCode;
  readonly reason?: ReasonRule;
}

/** From the most specific kind to the most general: the first row that matches an error applies to it. */
export const ERROR_TABLE: readonly ErrorRow[] = [
  {
    platform: 'ERR003; on any call but a login, it means the session',
    kind: LoginFailedError,
    code: 'UNAUTHENTICATED',
    reason: sessionOr(byIServerCode('UNAUTHENTICATED', 'LOGIN_FAILED')),
  },
  {
    platform: 'ERR009; no handle or an unknown one',
    kind: SessionError,
    code: 'UNAUTHENTICATED',
    reason: oneOf(['SESSION_EXPIRED', 'NO_SESSION'], ({ kind }) =>
      kind === 'session-expired' ? 'SESSION_EXPIRED' : 'NO_SESSION',
    ),
  },
  { platform: 'ERR0014, ERR0017', kind: InsufficientPrivilegesError, code: 'FORBIDDEN' },
  { platform: 'ERR004', kind: ResourceNotFoundError, code: 'NOT_FOUND' },
  { platform: 'ERR005, ERR006, ERR007', kind: InvalidRequestError, code: 'BAD_USER_INPUT' },
  {
    platform: 'ERR0015',
    kind: ObjectAlreadyExistsError,
    code: 'CONFLICT',
    reason: always('ALREADY_EXISTS'),
  },
  {
    platform: 'two projects with the same name',
    kind: AmbiguousProjectNameError,
    code: 'CONFLICT',
    reason: always('AMBIGUOUS_NAME'),
  },
  { platform: 'a credential that is empty', kind: MissingCredentialError, code: 'BAD_USER_INPUT' },
  { platform: 'ERR002, ERR0013', kind: BackendServerError, code: 'BACKEND_ERROR' },
  { platform: 'no recognized code', kind: UnknownPlatformError, code: 'UNKNOWN_PLATFORM_ERROR' },
  { platform: 'canceled', kind: ExecutionCancelledError, code: 'CANCELLED' },
  {
    platform: 'refused, reset, DNS, TLS',
    kind: PlatformUnreachableError,
    code: 'UPSTREAM_UNAVAILABLE',
    reason: oneOf(['CONNECT', 'DNS', 'TLS', 'CIRCUIT_OPEN'], (error) =>
      error instanceof PlatformUnreachableError ? error.reason : undefined,
    ),
  },
  {
    platform: 'the client of the service is closed',
    kind: ClientClosedError,
    code: 'UPSTREAM_UNAVAILABLE',
    reason: always('CONNECT'),
  },
  { platform: 'too slow', kind: PlatformTimeoutError, code: 'UPSTREAM_TIMEOUT' },
  { platform: 'no free connection to it in time', kind: QueueTimeoutError, code: 'UPSTREAM_TIMEOUT' },
  {
    platform: 'not JSON, too large, login not 204 or without exactly one token',
    kind: PlatformHttpError,
    code: 'UPSTREAM_PROTOCOL',
  },
  { platform: 'too many redirects', kind: TooManyRedirectsError, code: 'UPSTREAM_PROTOCOL' },
  { platform: 'a redirect to another origin', kind: ForeignRedirectError, code: 'UPSTREAM_PROTOCOL' },
  {
    platform: 'any other code',
    kind: PlatformError,
    code: 'PLATFORM_ERROR',
    reason: byIServerCode('PLATFORM_ERROR'),
  },
];

/** One reason for every error. */
function always(reason: ErrorReason): ReasonRule {
  return { possible: [reason], of: () => reason };
}

/** One of several reasons, by what the error itself says. */
function oneOf<R extends ErrorReason>(
  possible: readonly R[],
  of: (error: PlatformError) => R | undefined,
): ReasonRule {
  return { possible, of };
}

/**
 * The reason of the error's back-end code, if that reason comes with the code of the answer.
 *
 * @param otherwise the reason of every other error; without it, they have none.
 */
function byIServerCode(code: ErrorCode, otherwise?: ErrorReason): ReasonRule {
  const known = iserverReasons(code);
  return {
    possible: otherwise === undefined ? known : [otherwise, ...known],
    of: ({ iserverCode }) => iserverReason(iserverCode, code) ?? otherwise,
  };
}

/** `SESSION_EXPIRED` for an error that concerns the session; any other follows the rule. */
function sessionOr({ possible, of }: ReasonRule): ReasonRule {
  return {
    possible: ['SESSION_EXPIRED', ...possible],
    of: (error) => (isSessionExpired(error) ? 'SESSION_EXPIRED' : of(error)),
  };
}

/** The reasons that a code of the back-end server can give to an error with this code. */
function iserverReasons(code: ErrorCode): ErrorReason[] {
  return Object.entries<ReasonFacts>(REASON_TABLE)
    .filter(([, { codes, iserverCodes }]) => iserverCodes && codes.includes(code))
    .map(([reason]) => reason as ErrorReason);
}

/** The reason that a back-end code gives to an error with this code; undefined where it gives none. */
function iserverReason(iserverCode: string | undefined, code: ErrorCode): ErrorReason | undefined {
  const number = Number(iserverCode);
  return iserverReasons(code).find((reason) =>
    (REASON_TABLE[reason] as ReasonFacts).iserverCodes?.includes(number),
  );
}
