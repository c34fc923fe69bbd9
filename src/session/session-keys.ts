import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type NamedKey, parseKeyList } from '../config/key-list.js';
import { makeOwnFile } from './store/store-files.js';

/** The server keys, newest first, and their source. */
export interface SessionKeys {
  readonly keys: readonly [NamedKey, ...NamedKey[]];
  /** The file of keys that this service created; undefined if the settings gave them. */
  readonly file?: string;
}

/** The settings that decide where the keys come from. */
interface KeySettings {
  readonly SESSION_KEYS?: string | undefined;
  readonly SESSION_STORE_PATH: string;
  readonly production: boolean;
}

/**
 * The server keys from the settings, or else from a file next to the store, which is created with mode 0600 at
 * first use.
 *
 * @throws Error in one line when the file holds anything but keys, or cannot be read or written.
 */
export function sessionKeys(given: string | undefined, storePath: string): SessionKeys {
  if (given !== undefined) return { keys: nonEmpty(parseKeyList(given), 'SESSION_KEYS') };
  const file = `${storePath}.keys`;
  makeOwnFile(file, `local:${randomBytes(32).toString('base64')}\n`);
  return { keys: nonEmpty(parseKeyList(readFileSync(file, 'utf8')), file), file };
}

function nonEmpty(keys: NamedKey[] | undefined, source: string): [NamedKey, ...NamedKey[]] {
  const [first, ...rest] = keys ?? [];
  if (first === undefined)
    throw new Error(`${source} holds no session keys of the form kid:base64(32 bytes)`);
  return [first, ...rest];
}

/**
 * What is wrong with the key file that the service made for itself; empty if the settings give the keys. Creates
 * nothing.
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
