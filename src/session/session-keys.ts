import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type NamedKey, parseKeyList } from '../config/key-list.js';
import { makeOwnFile } from './store/store-files.js';

/** The server keys, newest first, and their source. */
export interface SessionKeys {
  readonly keys: readonly [NamedKey, ...NamedKey[]];
  /** The file of keys that this service created; undefined if the settings gave them. */
  readonly file?: string;
}

/**
 * The server keys from the settings, or else from a file next to the store, which is created with mode 0600 at first use.
 *
 * @throws Error in one line when the file holds anything but keys, or cannot be read or written.
 */
export function sessionKeys(given: string | undefined, storePath: string): SessionKeys {
  if (given !== undefined) return { keys: nonEmpty(parseKeyList(given), 'SESSION_KEYS') };
  const file = `${storePath}.keys`;
  makeOwnFile(file, `local:${randomBytes(32).toString('base64')}\n`);
  return { keys: nonEmpty(parseKeyList(readFileSync(file, 'utf8').trim()), file), file };
}

function nonEmpty(keys: NamedKey[] | undefined, source: string): [NamedKey, ...NamedKey[]] {
  const [first, ...rest] = keys ?? [];
  if (first === undefined)
    throw new Error(`${source} holds no session keys of the form kid:base64(32 bytes)`);
  return [first, ...rest];
}
