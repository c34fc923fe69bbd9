import { existsSync } from 'node:fs';
import { sessionKeys } from './session-keys.js';

/** The settings that decide where the keys come from. */
interface KeySettings {
  readonly SESSION_KEYS?: string | undefined;
  readonly SESSION_STORE_PATH: string;
  readonly production: boolean;
}

/**
 * What is wrong with the key file that the service made for itself; empty if the settings give the keys. Creates nothing.
 */
export function problemsInKeyFile(settings: KeySettings): string[] {
  const { SESSION_KEYS: given, SESSION_STORE_PATH: path, production } = settings;
  if (given !== undefined || production || !existsSync(`${path}.keys`)) return [];
  try {
    sessionKeys(undefined, path);
    return [];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const found = code === undefined ? message : `${path}.keys cannot be read (${code})`;
    return [`SESSION_KEYS is not set, and ${found}`];
  }
}
