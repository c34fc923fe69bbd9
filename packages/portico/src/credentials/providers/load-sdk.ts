import { CredentialError, type SecretOrigin } from '../../errors/credential-error.js';

/**
 * Imports a store's SDK, an optional package, when a secret is first needed.
 *
 * @throws CredentialError `MISSING_SDK`, naming the package to install
 */
export async function loadSdk<T>(
  origin: SecretOrigin,
  packageName: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch {
    const detail = `the package ${packageName} cannot be loaded; add it with: npm install ${packageName}`;
    throw new CredentialError(origin, 'MISSING_SDK', detail);
  }
}
