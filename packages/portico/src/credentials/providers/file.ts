import { readFile, stat } from 'node:fs/promises';
import { type CredentialProvider } from '../../client/index.js';
import { CredentialError, type CredentialReason, type SecretOrigin } from '../../errors/credential-error.js';
import { type SecretAccess, secretText, SharedSecret } from './shared-secret.js';
import { ACCESS, checkParameters, optional, TEXT } from './rules.js';
import { defineStore } from './store-definition.js';

/** Bytes: the most that a secret of AWS Secrets Manager or Google Cloud Secret Manager may have. */
const LARGEST_SECRET = 65_536;

/**
 * A file, such as a container's mounted secret.
 * @example
 * const parameters: FileParameters = { path: '/run/secrets/reports' };
 * const password = file(parameters);
 */
export interface FileParameters extends SecretAccess {
  readonly path: string;
  /** One key of a file that holds a JSON object. */
  readonly key?: string | undefined;
}

const RULES = { path: TEXT, key: optional(TEXT) };

export const fileStore = defineStore('file', {
  rules: RULES,
  secret: ({ path }: { path: string; key?: string }) => ({ field: (key) => file({ path, key }) }),
});

/**
 * A credential from a file, without its final line break. It is read at each call, so that a mounted secret may
 * change, unless `ttlSeconds` is set.
 *
 * @param parameters which file
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 * @example
 * const password = file({ path: '/run/secrets/reports' });
 */
export function file(parameters: FileParameters): CredentialProvider {
  checkParameters('file', parameters, { ...RULES, ...ACCESS });
  const { path, key, ttlSeconds = 0, ...access } = parameters;
  const origin = { store: fileStore.name, secret: path };
  const read = (): Promise<string> => readSecret(origin);
  const source = { origin, open: () => Promise.resolve(read), reasonOf: reasonOfFileError };
  return new SharedSecret(source, { ...access, ttlSeconds }).field(key);
}

async function readSecret(origin: SecretOrigin): Promise<string> {
  // Checked before it is opened: opening a pipe would wait for its writer.
  const found = await stat(origin.secret);
  if (!found.isFile()) throw new CredentialError(origin, 'MALFORMED', 'it is not a file');
  if (found.size > LARGEST_SECRET) {
    throw new CredentialError(origin, 'MALFORMED', `it is larger than ${LARGEST_SECRET} bytes`);
  }
  return secretText(origin, await readFile(origin.secret)).replace(/\r?\n$/, '');
}

function reasonOfFileError(error: unknown): CredentialReason {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'NOT_FOUND';
    case 'EACCES':
    case 'EPERM':
      return 'DENIED';
    default:
      return 'UNREACHABLE';
  }
}
