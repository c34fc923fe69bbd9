import './node-version.js';
export { PlatformClient } from './platform-client.js';
export { PlatformSession } from './session/platform-session.js';
export { type RestoreOptions } from './session/session-restore.js';
export {
  type ListCache,
  type PlatformClientOptions,
  type PlatformSessionOptions,
  type TlsOptions,
  type UnusableCookie,
} from './connection/client-options.js';
export { type CallObserver, type PlatformCall } from './connection/call-report.js';
export { type RetryCause } from './connection/retry.js';
export { type CircuitChange, type CircuitName } from './connection/circuits.js';
export {
  type CallOptions,
  type QueryValue,
  type RequestMethod,
  type RequestOptions,
} from './session/request.js';
export { type SendableBody } from './session/request-body.js';
export { type SessionFetch, type SessionFetchInit } from './session/session-fetch.js';
export { PLATFORM_OPERATIONS, type PlatformOperation } from './connection/operations.js';
export { PlatformResponse, type PlatformResponseParts } from './connection/platform-response.js';
export { type HeaderField, type HeadersInit, type ResponseHeaders } from './connection/headers.js';
export { type LoginCredentials, type LoginMode } from './session/login.js';
export {
  AuthenticatedPlatformSession,
  withPlatformSession,
  type AuthenticatedSessionOptions,
  type ManagedSessionOptions,
  type SessionOpener,
  type SharedSessionOptions,
} from './authenticated-session.js';
export { type Credential, type CredentialProvider } from './managed-credentials.js';
export { type LoginProviders, type ManagedCredentials } from './managed-credentials.js';
export { leftOutProjects, rawPayload } from './session/payload-shapes.js';
export {
  type PlatformProject,
  type PlatformProjectOwner,
  type PlatformSessionInfo,
  type PlatformUser,
} from './session/payload-shapes.js';
export {
  type RestorableSnapshot,
  type SessionSnapshot,
  type SnapshotCookie,
} from './session/session-snapshot.js';
export { type IServerMessageSource } from '../errors/iserver-codes.js';
export {
  PlatformError,
  type PlatformErrorFacts,
  type PlatformErrorKind,
  type SessionErrorKind,
  type UnreachableReason,
} from '../errors/platform-error.js';
export {
  AmbiguousProjectNameError,
  BackendServerError,
  ClientClosedError,
  ExecutionCancelledError,
  ForeignRedirectError,
  InsufficientPrivilegesError,
  InvalidRequestError,
  LoginFailedError,
  MissingCredentialError,
  ObjectAlreadyExistsError,
  PlatformHttpError,
  PlatformTimeoutError,
  PlatformUnreachableError,
  QueueTimeoutError,
  ResourceNotFoundError,
  SessionError,
  TooManyRedirectsError,
  UnknownPlatformError,
} from '../errors/error-classes.js';
export {
  isPlatformError,
  isSessionExpired,
  provesExpiry,
  type AnyPlatformError,
  type OtherPlatformError,
} from '../errors/error-guards.js';
