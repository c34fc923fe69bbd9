import { describe, expect, it } from 'vitest';
import { parameterStore, ParameterStoreValues } from '../../../src/credentials/index.js';
import { secretStoreConformance } from '../../conformance/secret-store.conformance.js';
import {
  AWS_WITHOUT_LOGIN,
  awsEnvironment,
  awsLoginAt,
} from '../../support/credentials/stores/aws-environment.js';
import { startParameterStore } from '../../support/credentials/stores/parameter-store-secret-store.js';
import { setEnvironment } from '../../support/credentials/process-environment.js';

const name = '/prod/portico/password';

describe('parameterStore', () => {
  secretStoreConformance({
    store: 'parameter_store',
    secret: name,
    takesKey: false,
    holdsBytes: false,
    startStore: startParameterStore,
    environment: awsEnvironment,
    loginAt: awsLoginAt,
    noLogin: AWS_WITHOUT_LOGIN,
    provider: (_, options) => parameterStore({ name, ...options }),
    group: (_, options) => {
      const group = new ParameterStoreValues(options);
      return { group, provider: () => group.parameter(name) };
    },
  });

  it('fetches each parameter of a group once', async () => {
    const store = await startParameterStore();
    const restore = setEnvironment(awsEnvironment(store));
    try {
      store.put('/prod/username', 'nightly');
      store.put('/prod/password', 'secret');
      const values = new ParameterStoreValues();

      expect(await values.parameter('/prod/username')()).toBe('nightly');
      expect(await values.parameter('/prod/password')()).toBe('secret');
      expect(await values.parameter('/prod/username')()).toBe('nightly');
      expect(store.fetches).toBe(2);
    } finally {
      restore();
      await store.close();
    }
  });
});
