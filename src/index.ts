/** The service as a library: for programs that run it in their own process. */
export { createApp } from './app/app.factory.js';
export { AppModule } from './app/app.module.js';
export { type Environment } from './config/environment.js';
export { SettingsError } from './config/parse-settings.js';
export { Settings } from './config/settings.js';
export { ERROR_CODES, ERROR_REASONS, type ErrorCode, type ErrorReason } from 'portico/errors';
