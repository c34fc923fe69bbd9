import { awsEnvironment } from '../../../packages/portico/test/support/credentials/stores/aws-environment.js';
import { type LoopbackSecretStore } from '../../../packages/portico/test/support/credentials/stores/loopback-secret-store.js';
import { setEnvironment } from '../../../packages/portico/test/support/credentials/process-environment.js';
import {
  type ProfilesFile,
  profilesFile,
} from '../../../packages/portico/test/support/credentials/profiles-file.js';
import { type RotatingPlatform, startRotatingPlatform } from '../embedded-platform/rotating-platform.js';
import { startSecretsManager } from '../../../packages/portico/test/support/credentials/stores/secrets-manager-secret-store.js';
import { startApp, type TestApp } from '../app/start-app.js';

/** The service with credential profiles whose secrets are in a loopback AWS Secrets Manager. */
export interface ProfileApp {
  readonly app: TestApp;
  readonly platform: RotatingPlatform;
  readonly secrets: LoopbackSecretStore;
  readonly file: ProfilesFile;
  close(): Promise<void>;
}

/**
 * @param text the text of the file of credential profiles.
 * @param prepare puts secrets into the store before the service starts.
 */
export async function startProfileApp(
  text: string,
  environment: Record<string, string> = {},
  prepare: (secrets: LoopbackSecretStore) => void = () => undefined,
): Promise<ProfileApp> {
  // On a busy machine, to load the SDK alone may take longer than a fetch may.
  await import('@aws-sdk/client-secrets-manager');
  const secrets = await startSecretsManager();
  prepare(secrets);
  const restore = setEnvironment(awsEnvironment(secrets));
  const platform = await startRotatingPlatform();
  const file = await profilesFile(text);
  const app = await startApp({
    PLATFORM_BASE_URL: platform.baseUrl,
    CREDENTIALS_FILE: file.path,
    ...environment,
  });
  return {
    app,
    platform,
    secrets,
    file,
    close: async () => {
      await app.close();
      await platform.close();
      await secrets.close();
      await file.remove();
      restore();
    },
  };
}
