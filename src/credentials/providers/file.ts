import { readFile, stat } from 'node:fs/promises';
import { ACCESS, checkParameters, optional, type Rules, TEXT } from './check-parameters.js';
import { CredentialError, type CredentialReason, type SecretOrigin } from '../../errors/credential-error.js';
import { type CredentialProvider } from '../../client/index.js';
import { secretText } from './secret-text.js';
import { type SecretAccess, SharedSecret } from './shared-secret.js';

/** Bytes: what the largest of the four stores' secrets may have. */
const LARGEST_SECRET = 65_536;

/** A file, such as a container's mounted secret. */
export interface FileParameters extends SecretAccess {
  readonly path: string;
  /** One key of a file that holds a JSON object. */
  readonly key?: string | undefined;
}

const RULES: Rules = { path: TEXT, key: optional(TEXT), ...ACCESS };

/**
 * A credential from a file, without the line end that closes it, read at each call unless `ttlSeconds` says how
 * long it serves, so that a mounted secret may change.
 *
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 */
export function file(parameters: FileParameters): CredentialProvider {
  checkParameters('file', parameters, RULES);
  const { path, key, ttlSeconds = 0, ...access } = parameters;
  const origin = { store: 'file', secret: path } as const;
  const read = (): Promise<string> => readSecret(origin);
  const source = { origin, open: () => Promise.resolve(read), reasonOf: reasonOfFileError };
  return new SharedSecret(source, { ...access, ttlSeconds }).field(key);
}

async function readSecret(origin: SecretOrigin): Promise<string> {
  // Looked at before it is opened: to open a pipe is to wait for its writer.
  const found = await stat(origin.secret);
  if (!found.isFile()) throw new CredentialError(origin, 'MALFORMED', 'not a file');
  if (found.size > LARGEST_SECRET) {
    throw new CredentialError(origin, 'MALFORMED', `larger than ${LARGEST_SECRET} bytes`);
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
