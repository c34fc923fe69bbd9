export { PlatformClient } from './platform-client.js';
export { PlatformSession } from './session/platform-session.js';
export type { PlatformSessionOptions, RestoreOptions } from './session/session-options.js';
export type { PlatformClientOptions } from './connection/client-options.js';
export type { PlatformCall } from './connection/call-report.js';
export type { CircuitChange } from './connection/resilience/circuits.js';
export type { CallOptions, RequestMethod, RequestOptions } from './session/request-options.js';
export { PlatformResponse } from './connection/response/platform-response.js';
export type { HeaderField, ResponseHeaders } from './connection/response/response-headers.js';
export type { LoginCredentials } from './session/login.js';
export {
  AuthenticatedPlatformSession,
  withPlatformSession,
  type AuthenticatedSessionOptions,
} from './managed/authenticated-session.js';
export type { Credential, CredentialProvider } from './managed/credential.js';
export type { ManagedCredentials } from './managed/managed-credentials.js';
export { asAnswered } from './session/payload-shapes.js';
export type {
  PlatformProject,
  PlatformProjectOwner,
  PlatformSessionInfo,
  PlatformUser,
} from './session/platform-types.js';
export type {
  RestorableSnapshot,
  SessionSnapshot,
  SnapshotCookie,
} from './session/state/session-snapshot.js';
export type { IServerMessageSource } from './errors/iserver-messages.js';
export { PlatformError, type PlatformErrorFacts } from './errors/platform-error.js';
export { AmbiguousProjectNameError, ProjectIndex } from './session/projects.js';
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
} from './errors/error-classes.js';
