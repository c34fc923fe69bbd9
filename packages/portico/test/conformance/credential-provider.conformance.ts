import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CredentialProvider,
  type CredentialReason,
  type CredentialStore,
  type VaultLogin,
} from '../../src/credentials/index.js';
import { expectCredentialError } from '../support/credentials/expect-credential-error.js';
import { secretCanary } from '../support/secrets/secret-canary.js';

export interface ProviderOptions {
  readonly login?: VaultLogin;
  readonly key?: string;
  readonly ttlSeconds?: number;
  readonly now?: () => number;
  readonly timeoutMs?: number;
}

/** A provider with a place to keep its secret in. */
export interface ProviderStage {
  put(secret: string | Buffer): Promise<void> | void;
  provider(options?: ProviderOptions): CredentialProvider;
  close(): Promise<void>;
}

export interface ProviderSubject {
  readonly store: CredentialStore;
  /** The secret's name, as errors tell it. */
  readonly secret: string;
  /** False where the spec gives the provider no `key`. */
  readonly takesKey: boolean;
  /** True where a secret is always an object of keys, so that there is no text to be taken for one. */
  readonly holdsObjectsOnly?: boolean;
  /** False where a fetch costs nothing. */
  readonly takesTtl: boolean;
  /** False where a store cannot hold bytes that are not text. */
  readonly holdsBytes: boolean;
  start(): Promise<ProviderStage>;
}

/** What holds for every credential provider (spec, "Credential providers"). */
export function credentialProviderConformance(subject: ProviderSubject): void {
  const { store, secret } = subject;

  describe('as a credential provider', () => {
    const canary = secretCanary();
    let stage: ProviderStage;

    const expectFailure = (reason: CredentialReason, options?: ProviderOptions) =>
      expectCredentialError(stage.provider(options), { store, secret, reason }, canary);

    beforeEach(async () => {
      stage = await subject.start();
    });
    afterEach(() => stage.close());

    it('returns the text of the secret unchanged', async () => {
      const text = ` ${canary.value} "ü" {not: json} `;
      await stage.put(text);

      expect(await stage.provider()()).toBe(text);
    });

    it('returns a changed secret at the next call', async () => {
      await stage.put('first');
      const provider = stage.provider();
      expect(await provider()).toBe('first');

      await stage.put('second');

      expect(await provider()).toBe('second');
    });

    it('reports that a secret does not exist', async () => {
      await expectFailure('NOT_FOUND');
    });

    it('reports that a secret is empty', async () => {
      await stage.put('');

      await expectFailure('EMPTY');
    });

    it('returns the secret once it has been created', async () => {
      const provider = stage.provider();
      await expectCredentialError(provider, { store, secret, reason: 'NOT_FOUND' }, canary);

      await stage.put(canary.value);

      expect(await provider()).toBe(canary.value);
    });

    if (subject.takesKey) {
      it('picks one key of a JSON object', async () => {
        await stage.put(JSON.stringify({ username: 'nightly', password: canary.value }));

        expect(await stage.provider({ key: 'username' })()).toBe('nightly');
        expect(await stage.provider({ key: 'password' })()).toBe(canary.value);
      });

      it('reports which key is missing', async () => {
        await stage.put(JSON.stringify({ password: canary.value }));

        const error = await expectFailure('MISSING_KEY', { key: 'username' });

        expect(error.message).toContain('"username"');
      });

      const notObjects: [string, CredentialReason, () => string][] = [
        ['text', 'MALFORMED', () => canary.value],
        ['a JSON array', 'MALFORMED', () => JSON.stringify([canary.value])],
        ['a JSON string', 'MALFORMED', () => JSON.stringify(canary.value)],
      ];
      it.each<[string, CredentialReason, () => string]>([
        ...(subject.holdsObjectsOnly === true ? [] : notObjects),
        ['a number under the key', 'MALFORMED', () => '{"password": 12345678901234567890}'],
        ['an empty text under the key', 'EMPTY', () => '{"password": ""}'],
      ])('picks nothing from %s', async (_, reason, text) => {
        await stage.put(text());

        await expectFailure(reason, { key: 'password' });
      });
    }

    if (subject.takesTtl) {
      it('returns the same secret until ttlSeconds have passed, then fetches it again', async () => {
        let now = 0;
        await stage.put('first');
        const provider = stage.provider({ ttlSeconds: 60, now: () => now });
        await provider();
        await stage.put('second');

        now = 59_999;
        expect(await provider()).toBe('first');

        now = 60_000;
        expect(await provider()).toBe('second');
      });
    }

    if (subject.holdsBytes) {
      it('reports that a secret is binary', async () => {
        await stage.put(Buffer.from([0xff, 0xfe, ...Buffer.from(canary.value)]));

        const error = await expectFailure('MALFORMED');

        expect(error.message).toContain('binary');
      });
    }
  });
}
