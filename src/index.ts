/** The service as a library: for applications that mount it, and for programs that run it in their own process. */
export { createApp, porticoLogger } from './app/app.factory.js';
export { AppModule } from './app/app.module.js';
export { PorticoModule, type PorticoOptions } from './app/portico.module.js';
export { type Environment } from './config/environment.js';
export { SettingsError } from './config/parse-settings.js';
export { fromEnvironment } from './config/portico-options.js';
export { Settings } from './config/settings.js';
export { porticoFormatError } from './errors/to-graphql-error.js';
export {
  Portico,
  type PorticoContext,
  porticoContext,
  porticoPlugins,
  porticoScalars,
} from './graphql/portico-graphql.service.js';
export { type CallerRules, readCallers } from './http/caller.js';
export { allowOrigins, type BrowserAccess } from './http/answer-headers.js';
export { acceptJsonOnly, readJsonBodies } from './http/json-body.js';
export { PorticoExceptionFilter } from './http/rest-errors.filter.js';
export { Session, SessionGuard } from './http/session.guard.js';
export { limitLoad, type Load, type LoadOptions } from './load/limit-load.js';
export { type Observer } from './logging/observation.js';
export { Project } from './projects/project.model.js';
export { type KnownSession, type RequestContext } from './session/request-context.js';
export { SessionService } from './session/session.service.js';
export { LoginRecords } from './session/store/login-records.js';
export {
  type Ending,
  type EndingCause,
  type ListedRecord,
  SessionStore,
} from './session/store/session-store.js';
export { PlatformClient } from 'portico/client';
export { CredentialProfiles } from 'portico/credentials';
export { ERROR_CODES, ERROR_REASONS, type ErrorCode, type ErrorReason } from 'portico/errors';
