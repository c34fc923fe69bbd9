import { type CredentialProvider } from '../../client/index.js';
import { CredentialError, type CredentialReason, type SecretOrigin } from '../../errors/credential-error.js';
import { checkValue, isRecord, optional, TEXT } from './rules.js';
import { once, type Once, type OnceOptions } from './once.js';

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

/** Milliseconds that one fetch may take, including loading the SDK and its login. */
export const FETCH_LIMIT_MS = 5000;

/**
 * Runs a fetch within a time limit. The signal tells the SDK to stop; the caller does not wait for that.
 *
 * @throws CredentialError `TIMEOUT`
 */
export async function withinLimit<T>(
  origin: SecretOrigin,
  limitMs: number,
  fetch: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CredentialError(origin, 'TIMEOUT', `no answer within ${limitMs} ms`));
      abort.abort();
    }, limitMs);
  });
  try {
    return await Promise.race([fetch(abort.signal), limit]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reduces a secret to one key of its JSON object (spec, "Credential providers"). Without `key`, the text is returned
 * unchanged. Only a string counts: a number may have lost digits when it was parsed.
 *
 * @throws CredentialError `MALFORMED` when the text is not a JSON object or the key does not hold a string,
 * `MISSING_KEY`, or `EMPTY`
 */
export function pickField(origin: SecretOrigin, text: string, key: string | undefined): string {
  if (key === undefined) return text;
  const name = JSON.stringify(key);
  const object = jsonObject(text);
  if (object === undefined) {
    throw new CredentialError(origin, 'MALFORMED', `not a JSON object, so it has no key ${name}`);
  }
  if (!Object.hasOwn(object, key)) throw new CredentialError(origin, 'MISSING_KEY', `it has no key ${name}`);
  const value = object[key];
  if (typeof value !== 'string') {
    throw new CredentialError(origin, 'MALFORMED', `key ${name} is not a string`);
  }
  if (value === '') throw new CredentialError(origin, 'EMPTY', `key ${name} is empty`);
  return value;
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    // The parser's message quotes the text, so it is not passed on.
    return undefined;
  }
}

/** The error for a secret that holds bytes instead of text. */
export function binarySecret(origin: SecretOrigin): CredentialError {
  return new CredentialError(origin, 'MALFORMED', 'the secret is binary, not text');
}

/**
 * Reads a secret's bytes as UTF-8.
 *
 * @throws CredentialError `MALFORMED` when they are not UTF-8
 */
export function secretText(origin: SecretOrigin, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw binarySecret(origin);
  }
}
