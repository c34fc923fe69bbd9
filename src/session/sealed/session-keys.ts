import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type NamedKey, parseKeyList } from '../../config/checks/key-list.js';
import { makeOwnFile } from '../store/store-files.js';

/** The server keys, newest first, and where they come from. */
export interface SessionKeys {
  readonly keys: readonly [NamedKey, ...NamedKey[]];
  /** The file of keys that were made here; undefined where the settings gave them. */
  readonly file?: string;
}

/**
 * The server keys of the settings, or else of a file beside the store, which is made with mode 0600 at first use.
 *
 * @throws Error in one line when the file holds anything else than keys, or cannot be read or written.
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
