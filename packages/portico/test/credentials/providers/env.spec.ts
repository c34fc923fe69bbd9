import { describe, expect, it } from 'vitest';
import { env } from '../../../src/credentials/index.js';
import { credentialProviderConformance } from '../../conformance/credential-provider.conformance.js';
import { setEnvironment } from '../../support/credentials/process-environment.js';

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

  it('reads the environment of the process at each call, unless another one is given', async () => {
    const name = 'PORTICO_TEST_PASSWORD';
    const provider = env({ name });
    await expect(provider()).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    const restore = setEnvironment({ [name]: 'first' });
    try {
      expect(await provider()).toBe('first');
      await expect(env({ name, environment: {} })()).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    } finally {
      restore();
    }
  });
});
