import { createServer, request } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Where the endpoint of the managed identity leads at the moment. */
let target = 'http://127.0.0.1:9';

/** The SDK reads the endpoint of a managed identity once in a process, so that all stores of a test file share one. */
const relay = createServer((asked, response) => {
  const { method, headers, url = '' } = asked;
  const passedOn = request(new URL(url, target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  passedOn.on('error', () => response.destroy());
  asked.pipe(passedOn);
});
await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
relay.unref();
const { port } = relay.address() as AddressInfo;

export const IDENTITY_HEADER = 'identity-header';

/** The environment in which Azure's default credential chain has a managed identity at a loopback server. */
export function keyVaultEnvironment({ url }: { readonly url: string }): Record<string, string | undefined> {
  target = url;
  return { IDENTITY_ENDPOINT: `http://127.0.0.1:${port}/msi/token`, IDENTITY_HEADER };
}

/** How to log in at an endpoint: as a managed identity, or where there is no connection, as a registered application. */
export function azureLoginAt(url: string): { environment: Record<string, string | undefined> } {
  if (url.startsWith('http:') && !url.endsWith(':9')) return { environment: keyVaultEnvironment({ url }) };
  return {
    environment: {
      AZURE_AUTHORITY_HOST: url.replace('http:', 'https:'),
      AZURE_TENANT_ID: '00000000-0000-4000-8000-000000000000',
      AZURE_CLIENT_ID: '00000000-0000-4000-8000-000000000001',
      AZURE_CLIENT_SECRET: 'example',
    },
  };
}

/** The same environment without a login, and no way to look for one elsewhere. */
export const KEY_VAULT_WITHOUT_LOGIN = {
  IDENTITY_ENDPOINT: undefined,
  IDENTITY_HEADER: undefined,
  AZURE_TOKEN_CREDENTIALS: 'EnvironmentCredential',
};
