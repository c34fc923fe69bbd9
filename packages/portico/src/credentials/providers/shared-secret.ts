import { type CredentialProvider } from '../../client/index.js';
import { CredentialError, type CredentialReason, type SecretOrigin } from '../../errors/credential-error.js';
import { checkValue } from './check-parameters.js';
import { optional, TEXT } from './rules.js';
import { once, type Once, type OnceOptions } from './once.js';
import { pickField } from './pick-field.js';
import { FETCH_LIMIT_MS, withinLimit } from './time-limit.js';

/** What every provider and group takes besides the parameters of its store. */
export interface SecretAccess extends OnceOptions {
  /** Milliseconds for one fetch; default 5000. */
  readonly timeoutMs?: number | undefined;
}

/** The same for a store that is read through its vendor's SDK. */
export interface SdkAccess extends SecretAccess {
  /**
   * Settings for the SDK's own client, passed on as they are, for what the SDK does not read from an environment
   * variable: another endpoint, a proxy, another kind of login. See the SDK's documentation.
   */
  readonly clientOptions?: object | undefined;
}

/** Gets the text of a secret. A missing or empty text is an `EMPTY` secret. */
export type FetchSecret = (signal: AbortSignal) => Promise<string | null | undefined>;

/** One secret of a store, as the store's file describes it. */
export interface SecretSource {
  readonly origin: SecretOrigin;
  /** Loads the SDK and creates its client, at the first fetch and again after a failure. */
  readonly open: () => Promise<FetchSecret>;
  /** What an error of the store means, unless it is a CredentialError already. */
  readonly reasonOf: (error: unknown) => CredentialReason;
}

/** One secret, fetched once for all of its fields. */
export class SharedSecret {
  readonly #origin: SecretOrigin;
  readonly #text: Once<string>;

  constructor(source: SecretSource, access: SecretAccess) {
    const limitMs = access.timeoutMs ?? FETCH_LIMIT_MS;
    // Opening has its own time limit, so that the next fetch reopens an SDK that never became ready.
    const opened = once(() => withinLimit(source.origin, limitMs, source.open));
    this.#origin = source.origin;
    this.#text = once(() => fetchText(source, opened, limitMs), access);
  }

  /**
   * The provider of one key of the secret, or of its whole text.
   *
   * @throws TypeError when the key cannot be used
   */
  field(key?: string): CredentialProvider {
    checkValue(this.#origin.store, 'key', key, optional(TEXT));
    return async () => {
      const text = await this.#text();
      try {
        return pickField(this.#origin, text, key);
      } catch (error) {
        // A secret without the key is not kept: once it is corrected in the store, the next call succeeds.
        this.#text.forget();
        throw error;
      }
    };
  }
}

async function fetchText(
  { origin, reasonOf }: SecretSource,
  opened: Once<FetchSecret>,
  limitMs: number,
): Promise<string> {
  const text = await withinLimit(origin, limitMs, async (signal) => (await opened())(signal)).catch(
    (error: unknown) => {
      // The SDK's error is not passed on: it may hold headers, tokens and bodies.
      throw error instanceof CredentialError ? error : new CredentialError(origin, reasonOf(error));
    },
  );
  if (text === undefined || text === null || text === '') throw new CredentialError(origin, 'EMPTY');
  return text;
}
