import { textFile } from '../../text-file.js';

/** The variables by which AWS's SDKs find the loopback store and their login. */
export function awsEnvironment(store: { readonly url: string }): Record<string, string | undefined> {
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

/** How to log in at an endpoint: a machine's metadata service, or over TLS the one that takes web identities. */
export function awsLoginAt(url: string): { environment: Record<string, string | undefined> } {
  const common = { ...AWS_WITHOUT_LOGIN, AWS_EC2_METADATA_DISABLED: undefined };
  return url.startsWith('http:')
    ? { environment: { ...common, AWS_EC2_METADATA_SERVICE_ENDPOINT: url } }
    : {
        environment: {
          ...common,
          AWS_ENDPOINT_URL_STS: url,
          AWS_ROLE_ARN: 'arn:aws:iam::000000000000:role/portico',
          AWS_WEB_IDENTITY_TOKEN_FILE: textFile('token', 'header.payload.signature'),
        },
      };
}
