import { createRequire } from 'node:module';
import { nodeFault, packageFault } from './requirements.js';
import type * as Service from './service.js';

export const { AppModule, createApp, ERROR_CODES, ERROR_REASONS, Settings, SettingsError } = loadService();

export type AppModule = Service.AppModule;
export type Settings = Service.Settings;
export type SettingsError = Service.SettingsError;
export type { Environment, ErrorCode, ErrorReason } from './service.js';

/** Loaded only now: an older Node, or a missing package, would stop the import with a message that helps nobody. */
function loadService(): typeof Service {
  const fault = nodeFault();
  if (fault !== undefined) throw new Error(fault);
  try {
    return createRequire(import.meta.url)('./service.js') as typeof Service;
  } catch (error) {
    const missing = packageFault(error);
    throw missing === undefined ? error : new Error(missing, { cause: error });
  }
}
