import { describe, expect, it } from 'vitest';
import { request } from 'node:http';
import { reasonOfLogin, sdkLogin } from '../../../src/credentials/providers/sdk.js';
import { startFaultyEndpoint } from '../../support/credentials/stores/faulty-endpoint.js';

const origin = { store: 'secrets_manager', secret: 'prod/portico' } as const;

/** What an SDK's chain of logins does: asks an endpoint, and tells nothing of its answer. */
function failingLogin(url: string): Promise<never> {
  return new Promise((_, reject) => {
    request(url, (response) => {
      response.resume().on('end', () => {
        reject(new Error('Could not load credentials from any providers'));
      });
    }).end();
  });
}

describe('the login of an SDK', () => {
  it.each([
    ['nothing was asked', undefined, 'NOT_CONFIGURED'],
    ["a machine's metadata address does not answer", { host: '169.254.169.254' }, 'NOT_CONFIGURED'],
    ["a machine's metadata service fails", { host: '169.254.169.254', status: 503 }, 'UNREACHABLE'],
    ['an endpoint that is configured does not answer', { host: 'login.example' }, 'UNREACHABLE'],
    ['an endpoint has no login', { host: 'login.example', status: 404 }, 'NOT_CONFIGURED'],
    ['an endpoint refuses the login', { host: 'login.example', status: 401 }, 'DENIED'],
    ['an endpoint answers with something else', { host: 'login.example', status: 200 }, 'MALFORMED'],
  ])('that fails when %s', (_, outcome, reason) => {
    expect(reasonOfLogin(outcome)).toBe(reason);
  });

  it('is not confused with another one that fails at the same time', async () => {
    const [failing, refusing] = [await startFaultyEndpoint('503'), await startFaultyEndpoint('403')];
    try {
      const reasons = Array.from({ length: 10 }, (_, index) => {
        const { url } = index % 2 === 0 ? failing : refusing;
        return sdkLogin(origin, () => failingLogin(url)).catch((error: unknown) => error);
      });

      expect(await Promise.all(reasons)).toMatchObject(
        Array.from({ length: 10 }, (_, index) => ({ reason: index % 2 === 0 ? 'UNREACHABLE' : 'DENIED' })),
      );
    } finally {
      await failing.close();
      await refusing.close();
    }
  });

  it('names the status of the endpoint, and nothing of the error', async () => {
    const endpoint = await startFaultyEndpoint('503');
    try {
      await expect(sdkLogin(origin, () => failingLogin(endpoint.url))).rejects.toThrow(
        'secrets_manager "prod/portico": no login for the store: the login endpoint answered with HTTP 503',
      );
    } finally {
      await endpoint.close();
    }
  });
});
