import { checkValue, optional, TEXT } from './check-parameters.js';
import { CredentialError, type CredentialReason, type SecretOrigin } from '../../errors/credential-error.js';
import { type CredentialProvider } from '../../client/index.js';
import { once, type Once, type OnceOptions } from './once.js';
import { pickField } from './pick-field.js';
import { FETCH_LIMIT_MS, withinLimit } from './time-limit.js';

/** What every provider and group takes beside the parameters of its store. */
export interface SecretAccess extends OnceOptions {
  /** Milliseconds for one fetch; default 5000. */
  readonly timeoutMs?: number | undefined;
}

/** The same for a store that is asked through its vendor's SDK. */
export interface SdkAccess extends SecretAccess {
  /**
   * Settings of the SDK's own client, handed over as they are, for what the SDK reads from no environment
   * variable: another endpoint, a proxy, a login of another kind. See the SDK's documentation.
   */
  readonly clientOptions?: object | undefined;
}

/** Gets a secret's text; nothing or an empty text is an `EMPTY` secret. */
export type FetchSecret = (signal: AbortSignal) => Promise<string | null | undefined>;

/** One secret of a store, as the store's file describes it. */
export interface SecretSource {
  readonly origin: SecretOrigin;
  /** Done at the first fetch, and again if it failed: loads the SDK and makes its client. */
  readonly open: () => Promise<FetchSecret>;
  /** What an error of the store's own means. */
  readonly reasonOf: (error: unknown) => CredentialReason;
}

/** One secret, fetched once for all of its fields. */
export class SharedSecret {
  readonly #origin: SecretOrigin;
  readonly #text: Once<string>;

  constructor(source: SecretSource, access: SecretAccess) {
    const limitMs = access.timeoutMs ?? FETCH_LIMIT_MS;
    // A limit of its own: an SDK that is never ready is forgotten by it, and not waited for by every later fetch.
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
        // A secret that lacks the key is not kept: once it is mended in the store, the next call succeeds.
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
      // The SDK's error goes no further: it may hold headers, tokens and bodies.
      throw error instanceof CredentialError ? error : new CredentialError(origin, reasonOf(error));
    },
  );
  if (text === undefined || text === null || text === '') throw new CredentialError(origin, 'EMPTY');
  return text;
}
