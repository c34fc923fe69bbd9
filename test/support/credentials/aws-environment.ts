import { type LoopbackSecretStore } from './loopback-secret-store.js';

/** The variables by which AWS's SDKs find the loopback store and their login. */
export function awsEnvironment(store: LoopbackSecretStore): Record<string, string | undefined> {
  return {
    AWS_ENDPOINT_URL: store.url,
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_REGION: 'eu-west-1',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/nonexistent/config',
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent/credentials',
  };
}

/** The same environment without a login. */
export const AWS_WITHOUT_LOGIN = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
