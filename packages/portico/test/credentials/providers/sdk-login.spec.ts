import { describe, expect, it } from 'vitest';
import { channel } from 'node:diagnostics_channel';
import { request } from 'node:http';
import { Socket } from 'node:net';
import { loadSdk, reasonOfLogin, sdkLogin } from '../../../src/credentials/providers/sdk.js';
import { eventually } from '../../support/eventually.js';
import { gate } from '../../support/gate.js';
import { startFaultyEndpoint } from '../../support/credentials/stores/faulty-endpoint.js';

const origin = { store: 'secrets_manager', secret: 'prod/portico' } as const;

/** What an SDK's chain of logins does: asks an endpoint, and tells nothing of its answer. */
function failingLogin(url: string, createConnection?: () => Socket): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => {
      reject(new Error('Could not load credentials from any providers'));
    };
    request(url, createConnection === undefined ? {} : { createConnection }, (response) => {
      response.resume().on('end', fail);
    })
      .on('error', fail)
      .end();
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

  it('is not confused with another one that ends before it', async () => {
    const [failing, refusing] = [await startFaultyEndpoint('503'), await startFaultyEndpoint('403')];
    const others = gate();
    try {
      const refused = sdkLogin(origin, () =>
        failingLogin(refusing.url).catch((error: unknown) =>
          others.passed.then(() => Promise.reject(error as Error)),
        ),
      ).catch((error: unknown) => error);
      await eventually(() => {
        expect(refusing.requests).toBe(1);
      });
      for (const url of [failing.url, 'http://127.0.0.1:9']) {
        await sdkLogin(origin, () => failingLogin(url)).catch(() => undefined);
        await failingLogin(url).catch(() => undefined);
      }
      others.open();

      expect(await refused).toMatchObject({ reason: 'DENIED' });
    } finally {
      await failing.close();
      await refusing.close();
    }
  });

  it('has to be set up where the metadata address of a machine cannot be reached', async () => {
    const unreachable = (): Socket => new Socket().destroy(new Error('no route'));

    await expect(
      sdkLogin(origin, () => failingLogin('http://169.254.169.254/', unreachable)),
    ).rejects.toMatchObject({ reason: 'NOT_CONFIGURED' });
  });

  it.each([
    ['of an SDK that has the status in its error', { status: 403 }, 'DENIED', 'answered with HTTP 403'],
    ['of an SDK that asked nothing', {}, 'NOT_CONFIGURED', 'prod/portico'],
  ])('fails by the error %s', async (_what, facts, reason, message) => {
    const failure = await sdkLogin(origin, () => Promise.reject(Object.assign(new Error('no'), facts))).catch(
      (error: unknown) => error,
    );

    expect(failure).toMatchObject({ reason, message: expect.stringContaining(message) as string });
    expect(String(failure).includes('the login endpoint')).toBe(reason !== 'NOT_CONFIGURED');
  });

  it('names an endpoint that does not answer', async () => {
    await expect(sdkLogin(origin, () => failingLogin('http://127.0.0.1:9'))).rejects.toThrow(
      'no login for the store: the login endpoint did not answer',
    );
  });

  it('watches the requests of the process no longer than it takes', async () => {
    const watched = () =>
      ['created', 'error'].map((name) => channel(`http.client.request.${name}`).hasSubscribers);
    const before = watched();
    await sdkLogin(origin, () => {
      expect(watched()).toEqual([true, true]);
      return Promise.resolve();
    });

    expect(watched()).toEqual(before);
    expect(before).toEqual([false, false]);
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

describe('an SDK that is not installed', () => {
  it('is named with how to install it', async () => {
    const loading = loadSdk(origin, '@example/sdk', () => Promise.reject(new Error('not found')));

    await expect(loading).rejects.toMatchObject({ reason: 'MISSING_SDK' });
    await expect(loading).rejects.toThrow('npm install @example/sdk');
  });
});
