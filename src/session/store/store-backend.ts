import { type Settings } from '../../config/settings.js';
import { type SessionStoreKind } from '../../config/session-settings.js';
import { type LoginRecords } from './login-records.js';
import { type SessionStore } from './session-store.js';

/** What a store is, for an operator. */
export interface StoreDescription {
  /** The product and its version. */
  readonly product: string;
  /** What Redis drops when its memory is full; undefined for other stores, or if Redis does not say. */
  readonly evictionPolicy?: string | undefined;
}

/** Everything that one kind of store keeps. Closing `sessions` closes all of it. */
export interface StoreBackend {
  /** Sessions and their leases. */
  readonly sessions: SessionStore;
  readonly logins: LoginRecords;
}

/** The injection token of the {@link StoreBackend}. */
export const StoreBackend = Symbol('StoreBackend');

/** What `<kind>-backend.ts` exports. */
export interface BackendFile {
  /**
   * Opens the store.
   *
   * @param report called with what an operator should know; never contains a secret
   */
  readonly open: OpenBackend;
  /** Opens the store, writes to it, and leaves nothing behind. */
  readonly tryOut: (settings: Settings) => Promise<StoreDescription>;
  /** What an operator should check when the store cannot be opened or written. */
  readonly fix: string;
}

export type OpenBackend = (
  settings: Settings,
  report: (message: string) => void,
) => StoreBackend | Promise<StoreBackend>;

/** Loads the file of one kind of store. The packages of the others stay out of the process. */
export async function backendFile(kind: SessionStoreKind): Promise<BackendFile> {
  return (await import(`./${kind}-backend.js`)) as BackendFile;
}
