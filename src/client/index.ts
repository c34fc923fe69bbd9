export { PlatformClient } from './platform-client.js';
export { PlatformSession } from './platform-session.js';
export type { PlatformSessionOptions, RestoreOptions } from './session-options.js';
export type { PlatformClientOptions } from './connection/client-options.js';
export type { PlatformCall } from './connection/call-report.js';
export type { CircuitChange } from './connection/circuits.js';
export type { CallOptions, RequestMethod, RequestOptions } from './request-options.js';
export { PlatformResponse } from './connection/platform-response.js';
export type { HeaderField, ResponseHeaders } from './connection/response-headers.js';
export type { LoginCredentials } from './login-request.js';
export {
  AuthenticatedPlatformSession,
  withPlatformSession,
  type AuthenticatedSessionOptions,
} from './authenticated-session.js';
export type { Credential, CredentialProvider } from './credential.js';
export type { ManagedCredentials } from './managed-credentials.js';
export { asAnswered } from './payload-shapes.js';
export type {
  PlatformProject,
  PlatformProjectOwner,
  PlatformSessionInfo,
  PlatformUser,
} from './platform-types.js';
export type { RestorableSnapshot, SessionSnapshot, SnapshotCookie } from './session-snapshot.js';
export type { IServerMessageSource } from './errors/iserver-messages.js';
export { PlatformError, type PlatformErrorFacts } from './errors/platform-error.js';
export { AmbiguousProjectNameError, ProjectIndex } from './project-index.js';
export {
  BackendServerError,
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
  ResourceNotFoundError,
  SessionError,
  TooManyRedirectsError,
  UnknownPlatformError,
  type UnreachableReason,
} from './errors/platform-error-kinds.js';
