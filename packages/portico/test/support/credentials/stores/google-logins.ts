import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { textFile } from '../../text-file.js';

const NO_METADATA = { METADATA_SERVER_DETECTION: 'none', GCE_METADATA_HOST: undefined };

/** A workload identity whose tokens come from an endpoint. */
export function workloadIdentityAt(url: string): { environment: Record<string, string | undefined> } {
  const subject = textFile('subject', 'header.payload.signature');
  const credentials = {
    type: 'external_account',
    audience:
      '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${url}/v1/token`,
    credential_source: { file: subject },
  };
  return { environment: applicationDefault(credentials) };
}

/** The key file of a service account, with the key that its signatures are checked by. */
export function serviceAccountKey(tokenUrl: string): {
  environment: Record<string, string | undefined>;
  publicKey: KeyObject;
} {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const credentials = {
    type: 'service_account',
    project_id: 'example',
    private_key_id: '0000000000000000000000000000000000000000',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'portico@example.iam.gserviceaccount.com',
    client_id: '000000000000000000000',
    token_uri: tokenUrl,
  };
  return { environment: applicationDefault(credentials), publicKey };
}

function applicationDefault(credentials: object): Record<string, string | undefined> {
  return {
    ...NO_METADATA,
    GOOGLE_APPLICATION_CREDENTIALS: textFile('credentials.json', JSON.stringify(credentials)),
  };
}
