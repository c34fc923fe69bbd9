import { describe } from '@jest/globals';
import { env } from '../../src/credentials/index.js';
import { credentialProviderConformance } from '../conformance/credential-provider.conformance.js';

describe('env', () => {
  credentialProviderConformance({
    store: 'env',
    secret: 'PORTICO_PASSWORD',
    takesKey: true,
    takesTtl: false,
    holdsBytes: false,
    start: () => {
      const environment: Record<string, string> = {};
      return Promise.resolve({
        put: (secret) => void (environment.PORTICO_PASSWORD = secret.toString()),
        provider: (options = {}) => env({ name: 'PORTICO_PASSWORD', key: options.key, environment }),
        close: () => Promise.resolve(),
      });
    },
  });
});
