import './node-version.js';
export { PlatformClient } from './platform-client.js';
export { PlatformSession } from './session/platform-session.js';
export { type RestoreOptions } from './session/session-restore.js';
export {
  type PlatformClientOptions,
  type PlatformSessionOptions,
  type UnusableCookie,
} from './connection/client-options.js';
export { type CallObserver, type PlatformCall } from './connection/call-report.js';
export { type RetryCause } from './connection/retry.js';
export { type CircuitChange, type CircuitName } from './connection/circuits.js';
export {
  FairQueue,
  growingShare,
  GUEST,
  type End,
  type FairQueueOptions,
  type Party,
  type Share,
} from './connection/fair-queue.js';
export { type CallOptions, type RequestMethod, type RequestOptions } from './session/request.js';
export { PLATFORM_OPERATIONS, type PlatformOperation } from './connection/operations.js';
export { PlatformResponse } from './connection/platform-response.js';
export { type HeaderField, type ResponseHeaders } from './connection/response-headers.js';
export { type LoginCredentials, type LoginMode } from './session/login.js';
export {
  AuthenticatedPlatformSession,
  withPlatformSession,
  type AuthenticatedSessionOptions,
} from './authenticated-session.js';
export { type Credential, type CredentialProvider } from './managed-credentials.js';
export { type ManagedCredentials } from './managed-credentials.js';
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
export { type IServerMessageSource } from '../errors/iserver-messages.js';
export {
  PlatformError,
  type PlatformErrorFacts,
  type PlatformErrorKind,
  type SessionErrorKind,
} from '../errors/platform-error.js';
export { ProjectIndex } from './session/projects.js';
export {
  AmbiguousProjectNameError,
  BackendServerError,
  ExecutionCancelledError,
  ForeignRedirectError,
  InsufficientPrivilegesError,
  InvalidRequestError,
  isSessionExpired,
  provesExpiry,
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
} from '../errors/error-classes.js';
