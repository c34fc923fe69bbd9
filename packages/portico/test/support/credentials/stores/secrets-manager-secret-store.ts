import { awsAnswer, awsFailure, unsigned } from './aws-json-protocol.js';
import { type LoopbackSecretStore, startSecretStore } from './loopback-secret-store.js';

/** AWS Secrets Manager: `secretsmanager.GetSecretValue`; bytes are a secret without a string. */
export function startSecretsManager(): Promise<LoopbackSecretStore> {
  return startSecretStore({
    beforehand: unsigned,
    secretName: (request, body) =>
      request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue'
        ? (JSON.parse(body) as { SecretId: string }).SecretId
        : undefined,
    found: (name, secret) =>
      awsAnswer(200, {
        ARN: `arn:aws:secretsmanager:eu-west-1:000000000000:secret:${name}-AbCdEf`,
        Name: name,
        VersionId: '00000000-0000-4000-8000-000000000000',
        VersionStages: ['AWSCURRENT'],
        CreatedDate: 1_700_000_000,
        ...(typeof secret === 'string'
          ? { SecretString: secret }
          : { SecretBinary: secret.toString('base64') }),
      }),
    failure: (kind, gossip) => awsFailure(kind, 'ResourceNotFoundException', gossip),
  });
}
