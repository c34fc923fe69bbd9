import { awsAnswer, awsFailure, unsigned } from './aws-json-protocol.js';
import { type LoopbackSecretStore, startSecretStore } from './loopback-secret-store.js';

/** AWS Systems Manager Parameter Store: `AmazonSSM.GetParameter`; without decryption the value is ciphertext. */
export function startParameterStore(): Promise<LoopbackSecretStore> {
  return startSecretStore({
    beforehand: unsigned,
    secretName: (request, body) =>
      request.headers['x-amz-target'] === 'AmazonSSM.GetParameter'
        ? (JSON.parse(body) as { Name: string }).Name
        : undefined,
    found: (name, secret, body) => {
      const { WithDecryption } = JSON.parse(body) as { WithDecryption?: boolean };
      const Value = WithDecryption === true ? secret.toString() : 'AQICAHi-ciphertext';
      return awsAnswer(200, { Parameter: { Name: name, Type: 'SecureString', Value, Version: 1 } });
    },
    failure: (kind, gossip) => awsFailure(kind, 'ParameterNotFound', gossip),
  });
}
