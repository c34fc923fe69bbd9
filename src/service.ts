/** The service as a library: for those who run it inside a process of their own, and for consumers of its errors. */
export { createApp } from './app/app.factory.js';
export { AppModule } from './app/app.module.js';
export { SettingsError } from './config/parse-settings.js';
export { Settings } from './config/settings.js';
export { type Environment } from './config/environment.js';
export { ERROR_CODES, type ErrorCode } from './errors/error-codes.js';
export { ERROR_REASONS, type ErrorReason } from './errors/error-reasons.js';
