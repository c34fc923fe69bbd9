import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { type CredentialProvider, type CredentialReason } from '../../src/credentials/index.js';
import { eventually } from '../support/eventually.js';
import { expectCredentialError } from '../support/credentials/expect-credential-error.js';
import { holdTimers } from '../support/client/hold-timers.js';
import {
  type LoopbackSecretStore,
  type StoreMood,
} from '../support/credentials/stores/loopback-secret-store.js';
import { setEnvironment } from '../support/credentials/process-environment.js';
import { secretCanary } from '../support/secrets/secret-canary.js';
import { secretStoreFailureConformance } from './secret-store-failures.conformance.js';
import {
  credentialProviderConformance,
  type ProviderOptions,
  type ProviderStage,
  type ProviderSubject,
} from './credential-provider.conformance.js';

export interface StoreAddress {
  readonly url: string;
  readonly port: number;
}

export type Variables = Readonly<Record<string, string | undefined>>;

export interface LoginAt {
  readonly environment: Variables;
  readonly options?: ProviderOptions;
}

/** A secret store that is asked over the network. */
export interface SecretStoreSubject extends Omit<ProviderSubject, 'start' | 'takesTtl'> {
  startStore(): Promise<LoopbackSecretStore>;
  /** The variables by which the SDK finds its login, and if it can, the store. */
  environment(store: StoreAddress): Variables;
  /** Those of them that are the login's, where login and store have one address in the tests only. */
  loginEnvironment?(store: StoreAddress): Variables;
  /** How to log in at an endpoint of the test's. */
  loginAt(url: string): LoginAt | Promise<LoginAt>;
  /** What `{}` is for an answer with a secret; default: `EMPTY`. */
  readonly readsBlank?: CredentialReason;
  /** The variables without which, or with which, the SDK finds no login. */
  readonly noLogin: Variables;
  provider(store: StoreAddress, options: ProviderOptions): CredentialProvider;
  /** The group of the same secret, and the providers that it makes. */
  group(store: StoreAddress, options: ProviderOptions): { group: object; provider: () => CredentialProvider };
}

/** What holds for every credential provider of a secret store, and for its group. */
export function secretStoreConformance(hurried: SecretStoreSubject): void {
  const subject: SecretStoreSubject = {
    ...hurried,
    // A busy machine may need longer than five seconds, to load an SDK above all.
    provider: (store, options) => hurried.provider(store, { timeoutMs: 60_000, ...options }),
  };
  const { secret } = subject;

  secretStoreFailureConformance(subject);

  credentialProviderConformance({
    ...subject,
    takesTtl: true,
    start: async () => {
      const { store, close } = await openStage(subject);
      const stage: ProviderStage = {
        put: (value) => {
          store.put(secret, value);
        },
        provider: (options = {}) => subject.provider(store, options),
        close,
      };
      return stage;
    },
  });

  describe('as a secret store', () => {
    const canary = secretCanary();
    let stage: Awaited<ReturnType<typeof openStage>>;
    let store: LoopbackSecretStore;

    const expectFailure = (provider: CredentialProvider, reason: CredentialReason) =>
      expectCredentialError(provider, { store: subject.store, secret, reason }, canary);

    beforeEach(async () => {
      stage = await openStage(subject);
      store = stage.store;
      store.put(secret, canary.value);
    });
    afterEach(async () => {
      vi.useRealTimers();
      await stage.close();
    });

    it.each<[CredentialReason, StoreMood]>([
      ['DENIED', 'denied'],
      ['THROTTLED', 'throttled'],
      ['UNREACHABLE', 'failing'],
      ['UNREACHABLE', 'hanging-up'],
      ['UNREACHABLE', 'breaking-off'],
      ['MALFORMED', 'malformed'],
      [subject.readsBlank ?? 'EMPTY', 'blank'],
    ])('reports %s after one request when the store is %s', async (reason, mood) => {
      store.become(mood);

      await expectFailure(subject.provider(store, {}), reason);

      expect(store.fetches).toBe(1);
    });

    it('reports TIMEOUT when the store is silent for 5 seconds, and leaves no request behind', async () => {
      store.become('silent');
      holdTimers('setTimeout');
      const failure = expectFailure(hurried.provider(store, {}), 'TIMEOUT');
      let over = false;
      void failure.finally(() => (over = true));
      await eventually(() => {
        expect(store.fetches).toBe(1);
      });

      vi.advanceTimersByTime(4999);
      await setImmediate();
      expect(over).toBe(false);

      vi.advanceTimersByTime(1);
      await failure;
      await eventually(() => {
        expect(store.abandoned).toBe(1);
      });
    });

    it('reports NOT_CONFIGURED when the SDK finds no login', async () => {
      const restore = setEnvironment(subject.noLogin);
      try {
        await expectFailure(subject.provider(store, {}), 'NOT_CONFIGURED');
      } finally {
        restore();
      }
    });

    it('answers 50 parallel first uses of a provider with one fetch', async () => {
      const provider = subject.provider(store, {});

      const values = await Promise.all(Array.from({ length: 50 }, async () => provider()));

      expect(new Set(values)).toEqual(new Set([canary.value]));
      expect(store.fetches).toBe(1);
    });

    it('answers 50 parallel first uses of a group with one fetch, and later ones with none', async () => {
      const { provider } = subject.group(store, {});

      const values = await Promise.all(Array.from({ length: 50 }, async () => provider()()));
      values.push(await provider()());

      expect(new Set(values)).toEqual(new Set([canary.value]));
      expect(store.fetches).toBe(1);
    });

    it('asks again after a first fetch that failed', async () => {
      const { provider } = subject.group(store, {});
      store.become('denied');
      await Promise.all(Array.from({ length: 10 }, () => expectFailure(provider(), 'DENIED')));

      store.become('ready');

      expect(await provider()()).toBe(canary.value);
      expect(store.fetches).toBe(2);
    });

    it('fetches the secret of a group again after ttlSeconds', async () => {
      let now = 0;
      const { provider } = subject.group(store, { ttlSeconds: 60, now: () => now });
      await provider()();
      store.put(secret, 'rotated');

      now = 60_000;

      expect(await provider()()).toBe('rotated');
      expect(store.fetches).toBe(2);
    });

    it('shows nothing of the secret that a group holds', async () => {
      const { group, provider } = subject.group(store, {});
      await provider()();

      expect(canary.isIn(group)).toBe(false);
      expect(canary.isIn(inspect(provider(), { depth: null, showHidden: true }))).toBe(false);
    });
  });
}

async function openStage(
  subject: SecretStoreSubject,
): Promise<{ store: LoopbackSecretStore; close: () => Promise<void> }> {
  const store = await subject.startStore();
  const restore = setEnvironment(subject.environment(store));
  return {
    store,
    close: async () => {
      restore();
      await store.close();
    },
  };
}
