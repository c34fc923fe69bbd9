import { type Settings } from '../../config/settings.js';
import { type SessionStoreKind } from '../../config/session-settings.js';
import { type LoginRecords } from './login-records.js';
import { type SessionStore } from './session-store.js';
import { type StoreHealth } from './store-health.js';

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
  readonly health: StoreHealth;
}

/** The injection token of the {@link StoreBackend}. */
export const StoreBackend = Symbol('StoreBackend');

/** What `<kind>-session-store.ts` exports. */
export interface BackendFile {
  /** Opens the store. What goes wrong with it later is reported to `health`. */
  readonly open: OpenBackend;
  /** Opens the store, writes to it, and leaves nothing behind. */
  readonly tryOut: (settings: Settings) => Promise<StoreDescription>;
  /** What an operator should check when the store cannot be opened or written. */
  readonly fix: string;
}

export type OpenBackend = (settings: Settings, health: StoreHealth) => StoreBackend | Promise<StoreBackend>;

/** Loads the file of one kind of store. The packages of the others stay out of the process. */
export async function backendFile(kind: SessionStoreKind): Promise<BackendFile> {
  return (await import(`./${kind}-session-store.js`)) as BackendFile;
}
