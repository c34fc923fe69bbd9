import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CredentialProvider, type CredentialReason } from '../../src/credentials/index.js';
import { holdTimers } from '../support/client/hold-timers.js';
import { expectCredentialError } from '../support/credentials/expect-credential-error.js';
import {
  type Fault,
  type FaultAnswer,
  startFaultyEndpoint,
} from '../support/credentials/stores/faulty-endpoint.js';
import { type LoopbackSecretStore } from '../support/credentials/stores/loopback-secret-store.js';
import { setEnvironment } from '../support/credentials/process-environment.js';
import { eventually } from '../support/eventually.js';
import { secretCanary } from '../support/secrets/secret-canary.js';
import { type ProviderOptions } from './credential-provider.conformance.js';
import { type SecretStoreSubject } from './secret-store.conformance.js';

/** What a person would expect to read when the endpoint of a secret fails. */
const OF_SECRET: Readonly<Record<Exclude<Fault, 'hang'>, CredentialReason>> = {
  refused: 'UNREACHABLE',
  '400 with HTML': 'DENIED',
  '403': 'DENIED',
  '404': 'NOT_FOUND',
  '429': 'THROTTLED',
  '500 with HTML': 'UNREACHABLE',
  '502 with HTML': 'UNREACHABLE',
  '503': 'UNREACHABLE',
  '503 with HTML': 'UNREACHABLE',
  'malformed JSON': 'MALFORMED',
  'wrong TLS': 'UNREACHABLE',
};

/** The same for the endpoint that gives the login: where it is missing, a login has to be set up. */
const OF_LOGIN: Partial<typeof OF_SECRET> = {
  refused: 'UNREACHABLE',
  '403': 'DENIED',
  '404': 'NOT_CONFIGURED',
  '429': 'THROTTLED',
  '500 with HTML': 'UNREACHABLE',
  '503': 'UNREACHABLE',
  'malformed JSON': 'MALFORMED',
  'wrong TLS': 'UNREACHABLE',
};

const RETRYABLE: readonly CredentialReason[] = ['UNREACHABLE', 'THROTTLED', 'TIMEOUT'];

/** What every provider of a secret store says when an endpoint fails. The SDKs are the real ones. */
export function secretStoreFailureConformance(subject: SecretStoreSubject): void {
  const { secret } = subject;

  describe('as a store that fails', () => {
    const canary = secretCanary();
    let store: LoopbackSecretStore;
    let undo: (() => Promise<void> | void)[];

    const expectFailure = async (ask: CredentialProvider, reason: CredentialReason): Promise<void> => {
      const error = await expectCredentialError(ask, { store: subject.store, secret, reason }, canary);
      expect(error.retryable).toBe(RETRYABLE.includes(reason));
    };
    const set = (variables: Parameters<typeof setEnvironment>[0]): void => {
      undo.unshift(setEnvironment(variables));
    };
    const start = async (fault: Fault) => {
      const endpoint = await startFaultyEndpoint(fault);
      undo.unshift(() => endpoint.close());
      return endpoint;
    };
    const loggingInAt = async (url: string, more: ProviderOptions = {}): Promise<CredentialProvider> => {
      const { environment, options } = await subject.loginAt(url);
      set(environment);
      return subject.provider(store, { ...options, ...more });
    };

    beforeEach(async () => {
      undo = [];
      store = await subject.startStore();
      store.put(secret, canary.value);
      undo.unshift(() => store.close());
      set(subject.environment(store));
    });
    afterEach(async () => {
      vi.useRealTimers();
      for (const restore of undo) await restore();
    });

    it.each(
      (Object.entries(OF_SECRET) as [FaultAnswer, CredentialReason][]).filter(
        ([fault]) => !isConnection(fault),
      ),
    )('reads a secret endpoint that answers %s as %s', async (fault, reason) => {
      store.become(fault);

      await expectFailure(subject.provider(store, {}), reason);

      expect(store.fetches).toBe(1);
    });

    it.each(['refused', 'wrong TLS'] as const)(
      'reads a secret endpoint with a connection that is %s as UNREACHABLE',
      async (fault) => {
        const endpoint = await start(fault);
        set(subject.environment(endpoint));
        // The login is still where it was.
        set(subject.loginEnvironment?.(store) ?? {});

        await expectFailure(subject.provider(endpoint, {}), OF_SECRET[fault]);
      },
    );

    it.each(Object.entries(OF_LOGIN) as [Exclude<Fault, 'hang'>, CredentialReason][])(
      'reads a login endpoint that fails by %s as %s',
      async (fault, reason) => {
        const endpoint = await start(fault);

        await expectFailure(await loggingInAt(endpoint.url), reason);

        expect(isConnection(fault) || endpoint.requests > 0).toBe(true);
        expect(store.fetches).toBe(0);
      },
    );

    it('reads a login endpoint that never answers as TIMEOUT when its time is over', async () => {
      const endpoint = await start('hang');
      const provider = await loggingInAt(endpoint.url, { timeoutMs: 5000 });
      holdTimers('setTimeout');
      const failure = expectFailure(provider, 'TIMEOUT');
      await eventually(() => endpoint.requests > 0);

      vi.advanceTimersByTime(5000);

      await failure;
    });
  });
}

function isConnection(fault: string): boolean {
  return fault === 'refused' || fault === 'wrong TLS';
}
